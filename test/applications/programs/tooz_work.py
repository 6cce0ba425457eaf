"""Works with the locks and groups of tooz, and prints a history. Arguments: HOSTS WHO FOLDER."""

import time

from kazoo.client import KazooState
from kazoo.retry import KazooRetry
from tooz import coordination

from history import HOSTS, WHO, hold, run, say

PAUSE = 0.01
GROUP = b"group"


def watch(state):
    if state == KazooState.SUSPENDED:
        say("suspended")
    if state == KazooState.LOST and not closing:
        say("lost")


def lock():
    with mutex:
        hold("lock")
    time.sleep(PAUSE)


def election():
    coordinator.run_watchers()
    if elected:
        elected.clear()
        hold("election", 0.02)
        coordinator.stand_down_group_leader(GROUP)
    time.sleep(PAUSE)


closing = False
elected = []
retry = KazooRetry(max_tries=-1, max_delay=1)
coordinator = coordination.get_coordinator(
    "kazoo://" + HOSTS,
    WHO.encode(),
    timeout=15,
    connection_retry=retry,
    command_retry=retry,
)
coordinator.start(start_heart=True)
coordinator._coord.add_listener(watch)
if WHO != "rest":
    mutex = coordinator.get_lock(b"lock")
    try:
        coordinator.create_group(GROUP).get()
    except coordination.GroupAlreadyExist:
        pass
    coordinator.join_group(GROUP).get()
    coordinator.watch_elected_as_leader(GROUP, elected.append)
    run(lock, election)
closing = True
coordinator.stop()
