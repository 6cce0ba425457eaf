"""Runs kazoo's recipes for the conformance test of interoperation.

Each line of the input is "ID COMMAND ARG…", each line of the output "ID RESULT". Commands of
different paths run at the same time.
"""

import queue
import sys
import threading

from kazoo.client import KazooClient

LIMIT_SECONDS = 60


class Peer:
    def __init__(self, hosts):
        self.client = KazooClient(hosts=hosts)
        self.client.start()
        self.used = {}

    def lock(self, path, kind="-lock-"):
        if path not in self.used:
            self.used[path] = self.client.Lock(path, "kazoo", extra_lock_patterns=[kind])
        return self.used[path]

    def queue(self, path):
        if path not in self.used:
            self.used[path] = self.client.LockingQueue(path)
        return self.used[path]

    def too_long(self, path, data):
        """Names the answers to a set, a transaction, and a read behind them, in one session."""
        states = []
        self.client.add_listener(states.append)
        session = self.client.client_id
        self.client.create(path)
        transaction = self.client.transaction()
        transaction.set_data(path, data)
        answers = [self.client.set_async(path, data), transaction.commit_async()]
        for answer in answers:
            answer.wait(LIMIT_SECONDS)
        names = [type(answer.exception).__name__ for answer in answers]
        names.append(self.client.get(path)[1].version)
        names.append("same" if session == self.client.client_id and not states else "other")
        return " ".join(str(name) for name in names)

    def run(self, command, path, *args):
        if command == "lock":
            return self.lock(path).acquire(timeout=LIMIT_SECONDS)
        if command == "unlock":
            return self.lock(path).release()
        if command in ("read", "write"):
            kind = self.client.ReadLock if command == "read" else self.client.WriteLock
            blockers = ["-lock-", "__WRIT__"] + (["__READ__"] if command == "write" else [])
            self.used[path] = kind(path, "kazoo", extra_lock_patterns=blockers)
            return self.used[path].acquire(timeout=LIMIT_SECONDS)
        if command in ("unread", "unwrite"):
            return self.used[path].release()
        if command == "elect":
            election = self.client.Election(path, "kazoo")
            election.lock = self.lock(path, "-latch-")
            led = []
            election.run(lambda: led.append(True))
            return led == [True]
        if command == "add":
            counter = self.client.Counter(path)
            counter += int(args[0])
            return counter.value
        if command == "raise":
            return self.client.Barrier(path).create() or True
        if command == "lower":
            return self.client.Barrier(path).remove()
        if command == "wait":
            return self.client.Barrier(path).wait(LIMIT_SECONDS)
        if command == "join":
            self.used[path] = self.client.Party(path, args[0])
            return self.used[path].join() or True
        if command == "leave":
            return self.used[path].leave() or True
        if command == "party":
            return ",".join(sorted(self.client.Party(path)))
        if command == "put":
            return self.queue(path).put(args[0].encode(), int(args[1])) or True
        if command == "take":
            value = self.queue(path).get(LIMIT_SECONDS)
            return value.decode() if value is not None else "none"
        if command == "consume":
            return self.queue(path).consume()
        if command == "giveback":
            return self.queue(path).release()
        if command == "size":
            return len(self.queue(path))
        if command == "toolong":
            return self.too_long(path, bytes(int(args[0])))
        return "unknown command"


def work(peer, jobs):
    while True:
        number, words = jobs.get()
        try:
            result = peer.run(*words)
        except Exception as error:
            result = "failed: %r" % error
        print(number, result, flush=True)


def main():
    peer = Peer(sys.argv[1])
    threads = {}
    for line in sys.stdin:
        number, *words = line.split()
        path = words[1]
        if path not in threads:
            threads[path] = queue.Queue()
            threading.Thread(target=work, args=(peer, threads[path]), daemon=True).start()
        threads[path].put((number, words))


main()
