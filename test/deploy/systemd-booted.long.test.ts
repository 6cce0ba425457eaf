/** The unit of the server under a systemd that boots for it, where this machine allows that. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bootedTest, runBooted } from '../support/machine/booted-systemd.js';

bootedTest('systemd starts the server, restarts it after a crash, and stops it in order', () => {
  const output = runBooted(`
ip link set lo up
id zookeeper >/dev/null 2>&1 || useradd --system --home-dir /var/lib/zookeeper zookeeper
rm -rf /var/lib/zookeeper
install -d -o zookeeper -g zookeeper /var/lib/zookeeper
runuser -u zookeeper -- zkserver init /var/lib/zookeeper
show() { systemctl show zkserver --value -p "$1"; }
ready() { until zkops ready -q --servers 127.0.0.1:2181 >/dev/null; do sleep 0.2; done; }
systemctl start zkserver
ready
echo "started $(show SubState) $(show User)"
zksh 127.0.0.1:2181 -c 'create /kept yes'
kill -9 "$(show MainPID)"
while [ "$(show NRestarts)" = 0 ]; do sleep 0.1; done
ready
echo "restarted $(show NRestarts), kept $(zksh 127.0.0.1:2181 -c 'get /kept')"
systemctl stop zkserver
echo "stopped $(show Result) $(show ExecMainStatus)"
echo 'clientPort=nonsense' >>/var/lib/zookeeper/zoo.cfg
systemctl start zkserver || true
while [ "$(show ActiveState)" = activating ]; do sleep 0.1; done
echo "refused $(show ActiveState) $(show ExecMainStatus) $(show NRestarts)"
`);
  assert.match(output, 'started running zookeeper\n');
  assert.match(output, 'restarted 1, kept yes\n');
  assert.match(output, 'stopped success 0\n');
  assert.match(output, 'refused failed 64 0\n');
});

test.run();
