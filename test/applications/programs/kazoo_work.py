"""Works with kazoo's recipes, and prints a history. Arguments: HOSTS WHO FOLDER.

WHO "rest" empties the queue and reads the counter.
"""

import time

from kazoo.client import KazooClient
from kazoo.retry import KazooRetry

from history import HOSTS, WHO, closing, hold, now, run, say, watch

PAUSE = 0.01


def connect():
    retry = KazooRetry(max_tries=-1, max_delay=1)
    client = KazooClient(HOSTS, timeout=15, connection_retry=retry, command_retry=retry)
    client.add_listener(watch)
    client.start(60)
    return client


def lock():
    with client.Lock("/kazoo/lock", WHO):
        hold("lock")
    time.sleep(PAUSE)


def semaphore():
    with client.Semaphore("/kazoo/semaphore", WHO, max_leases=2):
        begin = now()
        time.sleep(PAUSE)
        say("hold", what="semaphore", begin=begin, end=now())
    time.sleep(PAUSE)


def election():
    client.Election("/kazoo/election", WHO).run(hold, "election", 0.1)


def counter():
    client.Counter("/kazoo/counter").__add__(1)
    say("add", what="counter", isSure=True)
    time.sleep(PAUSE)


def put():
    put.count += 1
    item = "%s-%d" % (WHO, put.count)
    try:
        puts.put(item.encode())
        say("put", what="queue", item=item, isSure=True)
    except Exception:
        say("put", what="queue", item=item, isSure=False)
        raise
    time.sleep(2 * PAUSE)


def take():
    """An item is done before its consumption, which may be lost and then repeated."""
    queue = client.LockingQueue("/kazoo/queue")
    item = queue.get(1)
    if item is not None:
        say("done", what="queue", item=item.decode())
        queue.consume()


put.count = 0
client = connect()
puts = client.LockingQueue("/kazoo/queue")
if WHO == "rest":
    while len(puts) > 0:
        take()
    say("value", what="counter", value=client.Counter("/kazoo/counter").value)
else:
    run(lock, semaphore, election, counter, put, take)
closing.set()
client.stop()
client.close()
