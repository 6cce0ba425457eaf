// zkops with a member that listens only on the IPv6 loopback address: Apache's server, which
// formats the address as Java does, and the bundled one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../../src/client/base/four-letter.js';
import { createClient } from '../../../src/client/zookeeper.js';
import { taskJson } from '../../commands/zkops/call-task.js';
import { hasOracle, NETTY_JARS, oracleTest, startOracle } from '../../support/apache/oracle.js';
import { spawnBundled } from '../../support/bundled.js';
import { freePort } from '../../support/machine/free-port.js';
import { ipv6Test } from '../../support/machine/ipv6.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { expectTable, serving } from '../../support/pages/ops-table.js';
import { runZkops } from '../../support/terminal/run-zkops.js';
import { makeTlsFiles, nettyProperties } from '../../support/tls/tls-world.js';

const LIMITS = ['--timeout', '20000', '--deadline', '60000'];
const WHITELIST = { '4lw.commands.whitelist': '*' };

for (const kind of ['Apache', 'bundled'] as const) {
  const kindTest = kind === 'bundled' || hasOracle ? ipv6Test : oracleTest;

  kindTest(`a member of ${kind} on [::1], from a hosts file, a list, and over TLS`, async () => {
    const home = makeTempDir('ipv6');
    const files = makeTlsFiles();
    const securePort = await freePort();
    const secure = { secureClientPort: String(securePort), secureClientPortAddress: '::1' };
    const config = { ...WHITELIST, ...secure };
    const server =
      kind === 'Apache'
        ? await startOracle({
            host: '::1',
            jars: NETTY_JARS,
            config,
            properties: nettyProperties(files),
          })
        : await spawnBundled(`${home.path}/data`, {
            ...files.config,
            ...config,
            clientPortAddress: '::1',
          });
    const place = `[::1]:${server.port}`;
    const hosts = join(home.path, 'hosts.txt');
    writeFileSync(hosts, `# one member\n${place}\n`);
    const client = createClient({ connectString: place });
    try {
      await client.connect();
      await expectTable('by IPv6', ['--ensemble', hosts, ...LIMITS], serving(1));
      const { out, result } = await runZkops(['srvr', '--servers', place, ...LIMITS]);
      assert.equal(
        result?.members.map(({ server: name }) => name),
        [place],
      );
      assert.match(out, `${place}  serving  standalone`);
      // Java formats it as 0:0:0:0:0:0:0:1.
      const { rows } = await taskJson(['clients', '--servers', place, ...LIMITS], { ask: askWord });
      assert.equal(
        rows.map(({ host, connections }) => [host, connections]),
        [['::1', 1]],
      );
      const tls = ['--cacert', files.caFile, '--cert', files.write('me.pem', files.client.both)];
      const overTls = ['srvr', '--servers', `zks://[::1]:${securePort}`, ...tls, ...LIMITS];
      assert.is((await runZkops(overTls)).exitCode, 0);
      // No server listens on the IPv4 address.
      const other = await runZkops(['srvr', '--servers', `127.0.0.1:${server.port}`, ...LIMITS]);
      assert.is(other.result?.members[0]?.state, 'refused');
    } finally {
      await client.close();
      await server.stop('SIGKILL');
      if ('close' in server) await server.close();
      files.remove();
      home.remove();
    }
  });
}

test.run();
