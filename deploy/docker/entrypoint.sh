#!/bin/sh
# Writes zoo.cfg and myid from the environment, by the names of the official zookeeper image, then runs
# the command. An existing zoo.cfg or myid stays as it is, because a reconfig may have changed it.
set -eu

conf=${ZOO_CONF_DIR:-/conf}
data=${ZOO_DATA_DIR:-/data}
log=${ZOO_DATA_LOG_DIR:-/datalog}

fail() {
  echo "zk-entrypoint: $1" >&2
  exit 64
}

write_config() {
  echo "dataDir=$data"
  echo "dataLogDir=$log"
  echo "tickTime=${ZOO_TICK_TIME:-2000}"
  echo "initLimit=${ZOO_INIT_LIMIT:-5}"
  echo "syncLimit=${ZOO_SYNC_LIMIT:-2}"
  echo "autopurge.snapRetainCount=${ZOO_AUTOPURGE_SNAPRETAINCOUNT:-3}"
  echo "autopurge.purgeInterval=${ZOO_AUTOPURGE_PURGEINTERVAL:-0}"
  echo "maxClientCnxns=${ZOO_MAX_CLIENT_CNXNS:-60}"
  echo "standaloneEnabled=${ZOO_STANDALONE_ENABLED:-true}"
  echo "admin.enableServer=${ZOO_ADMINSERVER_ENABLED:-true}"
  if [ -n "${ZOO_4LW_COMMANDS_WHITELIST:-}" ]; then
    echo "4lw.commands.whitelist=$ZOO_4LW_COMMANDS_WHITELIST"
  fi
  # Blanks separate the entries of both lists.
  set -f
  for line in ${ZOO_SERVERS:-server.1=localhost:2888:3888;2181} ${ZOO_CFG_EXTRA:-}; do
    case $line in
      *=*) echo "$line" ;;
      *) fail "expected key=value in ZOO_SERVERS and ZOO_CFG_EXTRA, found \"$line\"" ;;
    esac
  done
}

# Another command, such as a shell, needs no configuration.
[ "${1:-}" = zkserver ] || exec "$@"

for folder in "$conf" "$data" "$log"; do
  mkdir -p "$folder" 2>/dev/null || true
  [ -w "$folder" ] || fail "$folder: not writable to user $(id -u): chown it, or run with --user"
done
case ${ZOO_MY_ID:-1} in
  '' | *[!0-9]*) fail "ZOO_MY_ID: expected a number, found \"$ZOO_MY_ID\"" ;;
esac

if [ ! -f "$conf/zoo.cfg" ]; then
  write_config >"$conf/zoo.cfg.tmp"
  mv "$conf/zoo.cfg.tmp" "$conf/zoo.cfg"
fi
if [ ! -f "$data/myid" ]; then
  echo "${ZOO_MY_ID:-1}" >"$data/myid.tmp"
  mv "$data/myid.tmp" "$data/myid"
fi

if [ "$#" = 2 ] && [ "$2" = start-foreground ]; then
  set -- "$@" "$conf/zoo.cfg"
fi
exec "$@"
