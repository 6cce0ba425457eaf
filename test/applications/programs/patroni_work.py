"""Commits rows on whichever PostgreSQL is the primary, and prints a history.

Arguments: HOSTS WHO FOLDER. The file "nodes" of the folder has the ports. WHO "rest" reads the
rows.
"""

import os
import time

import psycopg2
import psycopg2.errors

from history import FOLDER, WHO, ended, now, run, say

PAUSE = 0.02


def connect(port):
    connection = psycopg2.connect(
        host="127.0.0.1", port=port, user="postgres", dbname="postgres", connect_timeout=2
    )
    connection.autocommit = True
    return connection


def execute(connection, text, *values):
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetchall() if cursor.description else []


def writer(port):
    count = [0]

    def commit_all():
        connection = connect(port)
        # Between two commits of a connection, its server stays the primary.
        last = now()
        execute(connection, "CREATE TABLE IF NOT EXISTS rows (item text)")
        while not ended.is_set():
            count[0] += 1
            item = "%s-%d" % (port, count[0])
            try:
                execute(connection, "INSERT INTO rows VALUES (%s)", item)
            except psycopg2.Error as error:
                say("put", what="commits", item=item, isSure=False)
                connection.close()
                raise error
            end = now()
            say("hold", what="primary", begin=last, end=end)
            say("put", what="commits", item=item, isSure=True)
            last = end
            time.sleep(PAUSE)

    def step():
        try:
            commit_all()
        except (psycopg2.OperationalError, psycopg2.errors.ReadOnlySqlTransaction):
            # A replica, or it restarts.
            time.sleep(0.1)

    return step


def read_all(ports):
    for port in ports:
        connection = connect(port)
        if execute(connection, "SELECT pg_is_in_recovery()")[0][0]:
            continue
        for (item,) in execute(connection, "SELECT item FROM rows"):
            say("done", what="commits", item=item)


with open(os.path.join(FOLDER, "nodes")) as file:
    ports = file.read().split()
if WHO == "rest":
    read_all(ports)
else:
    run(*[writer(port) for port in ports])
