"""What the Python workers share: their history, and threads that repeat a step to the end.

The history is described in test/applications/history.ts.
"""

import json
import os
import sys
import threading
import time

HOSTS, WHO, FOLDER = sys.argv[1:4]
ended = threading.Event()
printing = threading.Lock()
# Set before the end of a session that the worker ends itself.
closing = threading.Event()


def now():
    return time.monotonic() * 1000


def say(op, **values):
    with printing:
        line = json.dumps({"op": op, **values, "at": now()}, separators=(",", ":"))
        print(line, flush=True)


def watch(state):
    """Listens to the states of a session (kazoo's KazooState)."""
    if state == "SUSPENDED":
        say("suspended")
    if state == "LOST" and not closing.is_set():
        say("lost")


def hold(what, seconds=0.002):
    """Has what the caller holds for a while. In a file of that name, two holders lose a number."""
    begin = now()
    path = os.path.join(FOLDER, what)
    with open(path) as file:
        value = int(file.read())
    time.sleep(seconds)
    with open(path, "w") as file:
        file.write(str(value + 1))
    say("hold", what=what, begin=begin, end=now())


def repeat(step):
    while not ended.is_set():
        try:
            step()
        except Exception as error:
            say("error", text=repr(error))
            time.sleep(0.1)


def run(*steps):
    """Repeats each step in a thread of its own until the input ends."""
    threads = [threading.Thread(target=repeat, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join()
