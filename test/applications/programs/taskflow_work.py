"""Posts and conducts jobs of taskflow, and prints a history. Arguments: HOSTS WHO FOLDER.

WHO "rest" conducts the jobs that the others left.
"""

import contextlib
import threading
import time
import uuid

from kazoo.client import KazooClient
from kazoo.retry import KazooRetry
from taskflow import engines, task
from taskflow.conductors import backends as conductors
from taskflow.jobs import backends as boards
from taskflow.patterns import linear_flow
from taskflow.persistence import backends as persistences
from taskflow.persistence import models

from history import HOSTS, WHO, closing, ended, run, say, watch

PAUSE = 0.1


class Do(task.Task):
    def execute(self, item):
        say("done", what="jobs", item=item)


def make_flow():
    return linear_flow.Flow("flow").add(Do())


class Client(KazooClient):
    """taskflow starts it for each connection to its books. While it reconnects, wait only."""

    is_started = False

    def start(self, timeout=60):
        if self.is_started:
            self._live.wait(timeout)
        else:
            self.is_started = True
            super().start(timeout)


def post():
    post.count += 1
    item = "%s-%d" % (WHO, post.count)
    book = models.LogBook(item)
    flow = models.FlowDetail(item, uuid=str(uuid.uuid4()))
    book.add(flow)
    try:
        with contextlib.closing(persistence.get_connection()) as connection:
            connection.save_logbook(book)
        engines.save_factory_details(flow, make_flow, [], {}, backend=persistence)
        board.post(item, book=book, details={"flow_uuid": flow.uuid, "store": {"item": item}})
        say("put", what="jobs", item=item, isSure=True)
    except Exception:
        say("put", what="jobs", item=item, isSure=False)
        raise
    time.sleep(PAUSE)


def conduct():
    conductor.run()


def stop():
    ended.wait()
    conductor.stop()


post.count = 0
retry = KazooRetry(max_tries=-1, max_delay=1)
client = Client(HOSTS, timeout=15, connection_retry=retry, command_retry=retry)
client.add_listener(watch)
books = {"connection": "zookeeper", "path": "/taskflow/books"}
persistence = persistences.fetch(books, client=client)
with contextlib.closing(persistence.get_connection()) as upgraded:
    upgraded.upgrade()
configuration = {"board": "zookeeper", "path": "/taskflow/jobs"}
board = boards.fetch("jobs", configuration, persistence=persistence, client=client)
board.connect()
conductor = conductors.fetch("blocking", WHO, board, persistence=persistence, wait_timeout=0.05)
if WHO == "rest":
    thread = threading.Thread(target=conduct)
    thread.start()
    while list(board.iterjobs(ensure_fresh=True)):
        time.sleep(PAUSE)
    conductor.stop()
    thread.join()
else:
    run(post, conduct, stop)
closing.set()
board.close()
persistence.close()
client.stop()
