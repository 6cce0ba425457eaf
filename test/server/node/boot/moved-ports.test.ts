import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord, createClient, type SessionClient } from '../../../../src/client/index.js';
import {
  type EnsembleMember,
  type RunningEnsemble,
  startEnsemble,
} from '../../../../src/server/main.js';
import { findFreePorts } from '../../../../src/server/node/sockets/free-ports.js';
import { withClient } from '../../../support/peers/seat-client.js';
import { makeTlsFiles } from '../../../support/tls/tls-world.js';
import { waitFor } from '../../../support/wait-for.js';

interface MovingWorld {
  readonly ensemble: RunningEnsemble;
  readonly warnings: string[];
}

async function withEnsemble(
  work: (world: MovingWorld) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const warnings: string[] = [];
  const ensemble = await startEnsemble({
    config: { reconfigEnabled: 'true', skipACL: 'yes', '4lw.commands.whitelist': '*', ...more },
    onWarning: (message) => warnings.push(message),
  });
  try {
    await work({ ensemble, warnings });
  } finally {
    await ensemble.close();
  }
}

/** The lines of the members, each with that host and those client places. */
function linesFor(
  { members }: RunningEnsemble,
  host: string,
  places: (index: number) => string,
): string {
  return members
    .map(
      ({ sid, quorumPort, electionPort }, index) =>
        `server.${sid}=${host}:${quorumPort}:${electionPort}:participant;${places(index)}`,
    )
    .join();
}

const linesWith = (
  ensemble: RunningEnsemble,
  host: string,
  ports: readonly (number | undefined)[],
): string => linesFor(ensemble, host, (index) => `${host}:${ports[index]}`);

const reconfigure = (client: SessionClient, members: string): Promise<unknown> =>
  client.reconfig({ members }).catch((error: Error & { code?: string }) => {
    // Another address for the leader would change the leader.
    if (error.code !== 'CONNECTIONLOSS') throw error;
  });

const isOfListening = (warning: string): boolean => warning.includes(': cannot listen');

const confOf = async ({ port }: EnsembleMember): Promise<string> =>
  `${await askWord({ host: '127.0.0.1', port }, 'conf')}`;

test('a reconfig moves the client port of every member, and existing sessions survive', () =>
  withEnsemble(async ({ ensemble, warnings }) => {
    const before = ensemble.members.map(({ port }) => port);
    const after = await findFreePorts(3, '127.0.0.1');
    const early = createClient({ connectString: `127.0.0.1:${before[0]}` });
    try {
      await early.connect();
      await reconfigure(early, linesWith(ensemble, '127.0.0.1', after));
      for (const [index, member] of ensemble.members.entries()) {
        await waitFor(`the port of server ${member.sid}`, () => member.port === after[index]);
        await withClient(member, (client) => client.sync('/'));
        assert.match(await confOf(member), new RegExp(`^clientPort=${after[index]}$`, 'm'));
        const old = askWord({ host: '127.0.0.1', port: before[index] ?? 0 }, 'ruok');
        assert.is(await old.then(String, () => 'refused'), 'refused');
      }
      await early.create('/over-the-old-port', Buffer.from('x'));
      assert.is(early.state, 'connected');
      assert.equal(warnings.filter(isOfListening), []);
    } finally {
      await early.close();
    }
  }));

test('a taken client port is named in a warning, and the old port stays', () =>
  withEnsemble(async ({ ensemble, warnings }) => {
    const before = ensemble.members.map(({ port }) => port);
    const [taken = 0] = await findFreePorts(1, '127.0.0.1');
    const other = createServer().listen(taken, '127.0.0.1');
    try {
      const [first, ...rest] = ensemble.members;
      assert.ok(first);
      const wanted = [taken, ...rest.map(({ port }) => port)];
      await withClient(first, (client) =>
        reconfigure(client, linesWith(ensemble, '127.0.0.1', wanted)),
      );
      const said = await waitFor('the warning', () => warnings.find(isOfListening));
      assert.match(
        said,
        new RegExp(`^127.0.0.1:${taken}: cannot listen for clients: .*still .*:${before[0]}$`),
      );
      assert.is(first.port, before[0]);
      await withClient(first, (client) =>
        reconfigure(client, linesWith(ensemble, '127.0.0.1', before)),
      );
      await withClient(first, (client) => client.sync('/'));
    } finally {
      other.close();
    }
  }));

test('another name of the same address moves nothing and gives no warning', () =>
  withEnsemble(async ({ ensemble, warnings }) => {
    const ports = ensemble.members.map(({ port }) => port);
    const [first] = ensemble.members;
    assert.ok(first);
    await withClient(first, (client) =>
      reconfigure(client, linesWith(ensemble, 'localhost', ports)),
    );
    for (const member of ensemble.members) {
      await waitFor(`the new lines at server ${member.sid}`, async () =>
        withClient(member, async (client) => {
          await client.sync('/');
          return `${(await client.getConfig()).data}`.includes('localhost');
        }).catch(() => false),
      );
    }
    assert.equal(warnings.filter(isOfListening), []);
  }));

test('a reconfig with lines of 3.10 opens TLS ports, and closes the others with their clients', async () => {
  const files = makeTlsFiles();
  const tls = { ca: files.authority.cert, cert: files.client.cert, key: files.client.key };
  try {
    await withEnsemble(async ({ ensemble, warnings }) => {
      const plain = ensemble.members.map(({ port }) => port);
      const secure = await findFreePorts(3, '127.0.0.1');
      const [first] = ensemble.members;
      assert.ok(first);
      const early = createClient({ connectString: `127.0.0.1:${plain[0]}` });
      const connectString = secure.map((port) => `localhost:${port}`).join(',');
      const late = createClient({ connectString: `zks://${connectString}`, tls });
      try {
        await early.connect();
        const both = (at: number) => `127.0.0.1:${plain[at]};127.0.0.1:${secure[at]}`;
        await reconfigure(early, linesFor(ensemble, '127.0.0.1', both));
        await waitFor('the TLS port', async () =>
          (await confOf(first)).includes(`\nsecureClientPort=${secure[0]}\n`),
        );
        await late.connect();
        const onlySecure = (at: number) => `;127.0.0.1:${secure[at]}`;
        await reconfigure(late, linesFor(ensemble, '127.0.0.1', onlySecure));
        for (const member of ensemble.members) {
          await waitFor(`no plain port of server ${member.sid}`, () => member.port === -1);
          assert.match(member.connectString, /^zks:/);
        }
        await waitFor('the plain client to be cut off', () => early.state !== 'connected');
        await late.create('/over-tls');
        const { data } = await late.getConfig();
        assert.match(`${data}`, new RegExp(`participant;;127.0.0.1:${secure[0]}$`, 'm'));
        assert.equal(warnings.filter(isOfListening), []);
      } finally {
        await Promise.all([early.close(), late.close()]);
      }
    }, files.config);
  } finally {
    files.remove();
  }
});

test('a TLS port without a certificate is named in a warning, and the plain port stays', () =>
  withEnsemble(async ({ ensemble, warnings }) => {
    const plain = ensemble.members.map(({ port }) => port);
    const secure = await findFreePorts(3, '127.0.0.1');
    const [first] = ensemble.members;
    assert.ok(first);
    const both = (at: number) => `127.0.0.1:${plain[at]};127.0.0.1:${secure[at]}`;
    await withClient(first, (client) => reconfigure(client, linesFor(ensemble, '127.0.0.1', both)));
    await waitFor('the warning', () => warnings.find((text) => text.includes('ssl.keyStore')));
    await withClient(first, (client) => client.sync('/'));
    assert.is(first.port, plain[0]);
  }));

test.run();
