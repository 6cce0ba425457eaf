"""Works with the locks and groups of tooz, and prints a history. Arguments: HOSTS WHO FOLDER."""

import time

from kazoo.retry import KazooRetry
from tooz import coordination

from history import HOSTS, WHO, closing, hold, run, say, watch

PAUSE = 0.01
GROUP = b"group"


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
closing.set()
coordinator.stop()
