"""Measures a queue of kazoo for bench/queues.ts, and prints the seconds.

Arguments: HOSTS PATH KIND LOAD COUNT. KIND is queue, priority, or locking.
"""

import sys
import threading
import time

from kazoo.client import KazooClient

PAUSE_SECONDS = 0.001


class Load:
    def __init__(self, hosts, path, kind):
        self.hosts, self.path, self.kind = hosts, path, kind
        self.clients = []

    def queue(self):
        client = KazooClient(hosts=self.hosts)
        client.start()
        self.clients.append(client)
        make = client.LockingQueue if self.kind == "locking" else client.Queue
        queue = make(self.path)
        len(queue)
        return queue

    def put(self, queue, count):
        for i in range(count):
            if self.kind == "priority":
                queue.put(b"x" * 100, i % 5)
            else:
                queue.put(b"x" * 100)

    def take(self, queue, count):
        for _ in range(count):
            while queue.get() is None:
                time.sleep(PAUSE_SECONDS)
            if self.kind == "locking":
                queue.consume()

    def run(self, load, count):
        queue = self.queue()
        takers = [self.queue() for _ in range(4)] if load == "four" else []
        if load == "take":
            self.put(queue, count)
        begin = time.perf_counter()
        if load == "put":
            self.put(queue, count)
        elif load == "take":
            self.take(queue, count)
        elif load == "one":
            for _ in range(count):
                self.put(queue, 1)
                self.take(queue, 1)
        else:
            share = count // len(takers)
            threads = [threading.Thread(target=self.take, args=(each, share)) for each in takers]
            for thread in threads:
                thread.start()
            self.put(queue, share * len(takers))
            for thread in threads:
                thread.join()
        print(time.perf_counter() - begin, flush=True)
        for client in self.clients:
            client.stop()


def main():
    hosts, path, kind, load, count = sys.argv[1:]
    Load(hosts, path, kind).run(load, int(count))


main()
