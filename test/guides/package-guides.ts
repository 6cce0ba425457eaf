// What the Debian package and its unit do to a machine.
import * as assert from 'uvu/assert';
import { hasOracle } from '../support/apache/oracle.js';
import { zookeeperdPackage } from './base-layer.js';
import type { Machines } from './machines.js';
import { blocksBelow } from './play.js';
import { isActive, must } from './steps.js';

/** Removal and upgrades of the package, beside Debian's Apache server if it is there. */
export async function packages(machines: Machines): Promise<void> {
  await must(machines, 'zk1', 'sudo -u zookeeper zkserver init /var/lib/zookeeper');
  const hasApache = hasOracle && zookeeperdPackage() !== undefined;
  if (hasApache) {
    const config =
      'clientPort=2199\\ndataDir=/var/lib/zookeeper/apache\\nadmin.enableServer=false\\n';
    await must(machines, 'zk1', `printf '${config}' | sudo tee /etc/zookeeper/conf/zoo.cfg`);
    await must(machines, 'zk1', 'sudo systemctl start zookeeper');
  }
  const output = await must(
    machines,
    'zk1',
    `sudo systemctl start zkserver
     zksh -c 'create /kept yes'
     pid() { systemctl show zkserver --value -p MainPID; }
     before=$(pid)
     sudo dpkg -i /opt/guide/zksh_*.deb
     test "$before" = "$(pid)" && echo 'upgrade: runs on'
     sudo dpkg -r zksh
     systemctl --quiet is-active zkserver || echo 'removal: stopped'
     sudo dpkg --purge zksh
     sudo mv /var/lib/zookeeper /var/lib/kept
     sudo dpkg -i /opt/guide/zksh_*.deb
     stat -c 'folder of %U, %a' /var/lib/zookeeper
     sudo rmdir /var/lib/zookeeper && sudo mv /var/lib/kept /var/lib/zookeeper
     systemctl --quiet is-active zkserver || echo 'installation: not started'
     sudo systemctl start zkserver
     timeout 1m sh -c 'until zkops ready -q; do sleep 0.2; done'
     zksh -c 'get /kept'`,
  );
  for (const line of [
    'upgrade: runs on',
    'removal: stopped',
    'folder of zookeeper, 750',
    'installation: not started',
    'yes',
  ]) {
    assert.match(output, `${line}\n`, output);
  }
  if (hasApache) assert.ok(await isActive(machines, 'zk1', 'zookeeper'), 'Apache runs on');
}

/** The sandbox of the unit, and the drop-in that opens it for the folders of zoo.cfg. */
export async function otherDisks(machines: Machines): Promise<void> {
  const config = '/var/lib/zookeeper/zoo.cfg';
  await must(machines, 'zk1', 'sudo -u zookeeper zkserver init /var/lib/zookeeper');
  for (const folder of ['/data/zk', '/tmp/zk']) {
    const refused = await machines.run(
      'zk1',
      `sudo install -d -o zookeeper ${folder}
       sudo sed -i 's|^dataDir=.*|dataDir=${folder}|; s|^dataLogDir=.*|dataLogDir=${folder}|' ${config}
       sudo rm -rf /etc/systemd/system/zkserver.service.d && sudo systemctl daemon-reload
       sudo systemctl start zkserver
       systemctl show zkserver --value -p ExecMainStatus; sudo journalctl --no-pager -u zkserver`,
    );
    assert.match(refused.output, `sudo zkserver init ${config} --unit`, refused.output);
    assert.match(refused.output, /^4$/m, refused.output);
    const served = await must(
      machines,
      'zk1',
      `sudo zkserver init ${config} --unit && sudo systemctl daemon-reload
       sudo systemctl restart zkserver
       timeout 1m sh -c 'until zkops ready -q; do sleep 0.2; done'
       zksh -c 'create /there 1' && sudo systemctl stop zkserver && sudo ls ${folder}/version-2`,
    );
    assert.match(served, /^log\.1$/m);
  }
  // A new server in a folder of its own, and then a log on its own disk, as the page has it.
  const [init, move] = blocksBelow('docs/deploy.md', 'Configure a server').slice(-2);
  await must(machines, 'zk1', init?.script ?? 'false');
  assert.ok(await isActive(machines, 'zk1', 'zkserver'));
  await must(
    machines,
    'zk1',
    `sudo rm -rf /etc/systemd/system/zkserver.service.d && sudo systemctl daemon-reload
     sudo sed -i 's|^dataDir=.*|dataDir=/var/lib/zookeeper/data|; s|^dataLogDir=.*|dataLogDir=/var/lib/zookeeper/log|' ${config}
     sudo systemctl restart zkserver
     timeout 1m sh -c 'until zkops ready -q; do sleep 0.2; done'
     zksh -c 'create /kept yes'`,
  );
  // Without the step that moves the log, the server must not start without its txns.
  const unmoved = await machines.run('zk1', move?.script.replace(/^sudo mv .*\n/m, '') ?? 'false');
  assert.is.not(unmoved.status, 0, unmoved.output);
  const status = await must(machines, 'zk1', 'systemctl show zkserver --value -p ExecMainStatus');
  assert.is(status, '3\n');
  await must(machines, 'zk1', move?.script ?? 'false');
  const kept = await must(
    machines,
    'zk1',
    `timeout 1m sh -c 'until zkops ready -q; do sleep 0.2; done'
     zksh -c 'get /kept'; sudo ls /srv/zk-log/version-2`,
  );
  assert.match(kept, /^yes\nlog\.1\n/);
}
