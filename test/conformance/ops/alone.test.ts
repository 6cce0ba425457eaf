// Every zkops verb with a standalone server of either kind: over TLS, without a client
// certificate, with the narrowest whitelist, hanging, and dead.
import { test } from 'uvu';
import { NETTY_JARS, oracleTest, startOracle } from '../../support/apache/oracle.js';
import { spawnBundled } from '../../support/bundled.js';
import { freePort } from '../../support/machine/free-port.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { type Expected, expectTable, serving } from '../../support/pages/ops-table.js';
import { makeTlsFiles, nettyProperties, type TlsFiles } from '../../support/tls/tls-world.js';

type Kind = 'Apache' | 'bundled';

interface Alone {
  readonly connectString: string;
  readonly pid: number;
  stop(signal: NodeJS.Signals): Promise<unknown>;
}

const LIMITS = ['--timeout', '3000', '--deadline', '20000'];

async function withServer(
  kind: Kind,
  config: Readonly<Record<string, string>>,
  files: TlsFiles,
  use: (server: Alone) => Promise<void>,
): Promise<void> {
  const home = makeTempDir('alone');
  const server =
    kind === 'Apache'
      ? await startOracle({ jars: NETTY_JARS, config, properties: nettyProperties(files) })
      : await spawnBundled(`${home.path}/data`, { ...files.config, ...config });
  const pid = 'pid' in server ? server.pid() : (server.process.pid ?? 0);
  try {
    const connectString = `127.0.0.1:${server.port}`;
    await use({ connectString, pid, stop: (signal) => server.stop(signal) });
  } finally {
    await server.stop('SIGKILL');
    if ('close' in server) await server.close();
    home.remove();
  }
}

const probes = (
  sessions: string,
  gate: string,
  consistency: string,
  drift: string,
  words: string,
) => ({
  'latency --count 3': sessions,
  smoke: sessions,
  gate,
  consistency,
  'consistency --walk': consistency,
  drift,
  clients: words,
  watches: words,
  'watches --by path': words,
  'watches --by host': words,
});

const WELL = serving(1);

const unreached = (state: string): Expected => ({
  judged: `2 ${state}`,
  alive: `2 ${state}`,
  served: `2 ${state}`,
  isro: `2 ${state}`,
  probes: probes(
    '2 no-session',
    `2 member:${state} none-answers`,
    `3 member:${state} no-walk`,
    `3 member:${state} no-answer`,
    `3 member:${state} no-answer`,
  ),
});

const STRANGER: Expected = {
  judged: '3 tls',
  alive: '3 tls',
  served: '3 tls',
  isro: '3 tls',
  probes: probes(
    '2 no-session',
    '3 member:tls no-role',
    '3 no-walk',
    '3 member:tls no-answer',
    '3 member:tls no-answer',
  ),
};

/** Without the figures of mntr, they cannot judge. Only srvr asks for no more. */
const NARROW: Expected = {
  judged: '3 serving',
  srvr: '0 serving',
  alive: '3 not-whitelisted',
  served: '3 not-whitelisted',
  isro: '3 not-whitelisted',
  probes: probes(
    '0',
    '3 member:not-whitelisted',
    '3 no-walk',
    '3 member:not-whitelisted no-answer',
    '3 member:not-whitelisted no-answer',
  ),
};

for (const kind of ['Apache', 'bundled'] as const) {
  const kindTest = kind === 'Apache' ? oracleTest : test;

  kindTest(`every verb over TLS with a server of ${kind}, which then hangs and dies`, async () => {
    const files = makeTlsFiles();
    const securePort = await freePort();
    const config = { secureClientPort: String(securePort), '4lw.commands.whitelist': '*' };
    try {
      await withServer(kind, config, files, async (server) => {
        const secure = ['--servers', `zks://127.0.0.1:${securePort}`, ...LIMITS];
        const trusting = [...secure, '--cacert', files.caFile];
        const known = [...trusting, '--cert', files.write('client.pem', files.client.both)];
        await expectTable('over TLS', known, WELL);
        await expectTable('without its own certificate', trusting, STRANGER);
        await expectTable('without the authority', secure, STRANGER);
        const plain = ['--servers', server.connectString, ...LIMITS];
        await expectTable('without TLS', plain, WELL);
        process.kill(server.pid, 'SIGSTOP');
        await expectTable('hanging', known, unreached('timeout'));
        await server.stop('SIGKILL');
        await expectTable('dead', known, unreached('refused'));
      });
    } finally {
      files.remove();
    }
  });

  kindTest(`every verb with a server of ${kind} that allows only srvr`, async () => {
    const files = makeTlsFiles();
    try {
      await withServer(kind, { '4lw.commands.whitelist': 'srvr' }, files, async (server) => {
        await expectTable('srvr', ['--servers', server.connectString, ...LIMITS], NARROW);
      });
    } finally {
      files.remove();
    }
  });
}

test.run();
