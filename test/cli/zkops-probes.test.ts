// conformance: runs against Apache's server, too.
/** The probes that open sessions, on real servers. They must leave nothing. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { createClient } from '../../src/client/zookeeper.js';
import { startEnsemble } from '../../src/server/main.js';
import { callTask, taskJson } from '../commands/zkops/call-task.js';
import { oracleTest } from '../support/apache/oracle.js';
import { makeSeats, waitUntilServing } from '../support/apache/oracle-ensemble.js';
import { startBundled } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTlsFiles, startSecure, type TlsFiles } from '../support/tls/tls-world.js';
import { waitFor } from '../support/wait-for.js';

const ZKOPS = fileURLToPath(new URL('../../bin/zkops.cjs', import.meta.url));

/** A real probe may be slow while many tests run. */
const PATIENT = ['--timeout', '20000', '--deadline', '60000'];

async function withClient<Value>(
  connectString: string,
  use: (client: ReturnType<typeof createClient>) => Promise<Value>,
): Promise<Value> {
  const client = createClient({ connectString });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** A machine under load is slow, which is not a fault of the server or the probe. */
function isNoLimit({ code }: { readonly code: string }): boolean {
  return !code.startsWith('limit:');
}

/** The server requires a client certificate. */
function clientFiles(files: TlsFiles): string[] {
  return ['--cert', files.write('client.pem', files.client.both)];
}

/** The znodes of probes among the children of the root. */
function leftBehind(connectString: string): Promise<string[]> {
  return withClient(connectString, async (client) => {
    await client.sync('/');
    const { children } = await client.getChildren('/');
    return children.filter((name) => name.startsWith('zkops-'));
  });
}

test('latency reports that its time ended before its rounds', async () => {
  const server = await startBundled();
  try {
    const args = ['latency', '--servers', server.connectString, '--max-time', '500ms'];
    const { totals, verdict } = await taskJson([...args, '--count', '1000000', ...PATIENT], {
      ask: askWord,
    });
    assert.is(totals['isCut'], true);
    assert.match(verdict.summary, / of 1000000: stopped early by --max-time 500ms$/);
  } finally {
    await server.close();
  }
});

test('latency measures every operation, and leaves nothing', async () => {
  const server = await startBundled();
  try {
    const args = ['latency', '--servers', server.connectString, '--count', '5', ...PATIENT];
    const { rows, totals, verdict } = await taskJson(args, { ask: askWord });
    assert.equal(verdict.problems.filter(isNoLimit), []);
    const operations = ['create', 'get', 'exists', 'set', 'watch', 'sync', 'delete'];
    assert.equal(
      rows.map(({ operation }) => operation),
      operations,
    );
    assert.ok(rows.every(({ count }) => count === 5));
    assert.ok(rows.every((row) => Number(row['p50_ms']) <= Number(row['max_ms'])));
    assert.is(totals['rounds'], 5);
    assert.equal(await leftBehind(server.connectString), []);
  } finally {
    await server.close();
  }
});

test('smoke succeeds on every reachable member, and leaves nothing', async () => {
  const server = await startBundled();
  const dead = `127.0.0.1:${await freePort()}`;
  try {
    const smoke = (servers: string) =>
      taskJson(['smoke', '--servers', servers, ...PATIENT], { ask: askWord });
    const well = await smoke(server.connectString);
    assert.is(well.exitCode, 0);
    assert.is(well.verdict.summary, '7 of 7 steps hold on 1 of 1 members');
    const one = await smoke(`${server.connectString},${dead}`);
    assert.is(one.exitCode, 1);
    assert.match(one.verdict.problems[0]?.text ?? '', /a session opens: .*refused/);
    assert.is((await smoke(dead)).exitCode, 2);
    assert.equal(await leftBehind(server.connectString), []);
  } finally {
    await server.close();
  }
});

test('probes work over TLS, and report TLS failures', async () => {
  const files = makeTlsFiles();
  const server = await startSecure(files);
  try {
    const secure = ['--servers', `zks://127.0.0.1:${server.securePort}`, ...PATIENT];
    const trusting = [...secure, '--cacert', files.caFile, ...clientFiles(files)];
    for (const args of [['smoke'], ['latency', '--count', '2'], ['ready'], ['watches']]) {
      const { verdict } = await taskJson([...args, ...trusting], { ask: askWord });
      assert.equal(verdict.problems.filter(isNoLimit), [], args.join(' '));
    }
    const wary = await taskJson(['smoke', ...secure], { ask: askWord });
    assert.is(wary.exitCode, 2);
    assert.match(wary.verdict.problems[0]?.text ?? '', /certificate/);
    const useless = ['smoke', '--servers', 'zk1', '--cacert', files.caFile];
    assert.is((await callTask(useless, { ask: askWord })).exitCode, 64);
  } finally {
    await server.close();
    files.remove();
  }
});

test('smoke fails on servers that are not an ensemble', async () => {
  const [one, two] = [await startBundled(), await startBundled()];
  try {
    const servers = `${one.connectString},${two.connectString}`;
    const args = ['smoke', '--servers', servers, '--timeout', '2000'];
    const { exitCode, verdict } = await taskJson(args, { ask: askWord });
    assert.is(exitCode, 2);
    assert.match(
      verdict.problems[0]?.text ?? '',
      /a create is visible after a sync: .* does not exist/,
    );
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

test('a user without permission at the root gets advice', async () => {
  const server = await startBundled();
  try {
    await withClient(server.connectString, async (client) => {
      await client.create('/open');
      await client.setACL('/', [{ perms: 1, id: { scheme: 'world', id: 'anyone' } }]);
    });
    const smoke = (...args: string[]) =>
      taskJson(['smoke', '--servers', server.connectString, ...PATIENT, ...args], { ask: askWord });
    const refused = await smoke();
    assert.is(refused.exitCode, 2);
    assert.match(
      refused.verdict.problems[0]?.text ?? '',
      /no permission for .*: choose another --path/,
    );
    assert.is((await smoke('--path', '/open')).exitCode, 0);
  } finally {
    await server.close();
  }
});

test('consistency walks the trees if members have no digests, and proves a difference', async () => {
  const [one, two] = [await startBundled(), await startBundled()];
  try {
    const servers = ['--servers', `${one.connectString},${two.connectString}`];
    const compare = (...args: string[]) =>
      taskJson(['consistency', '--walk', ...servers, ...PATIENT, ...args], { ask: askWord });
    const same = await compare('--path', '/zookeeper');
    assert.is(same.exitCode, 0);
    await withClient(one.connectString, (client) => client.create('/only-here'));
    const other = await compare();
    assert.is(other.exitCode, 2);
    const texts = other.verdict.problems.map(({ text }) => text).join('\n');
    assert.match(texts, /^\/only-here differs: .*; .* has not there$/m);
    assert.equal(
      other.rows.map(({ by, tree }) => [by, tree]),
      [
        ['walk', 'same'],
        ['walk', 'differs'],
      ],
    );
    const cut = await compare('--max-znodes', '1', '--path', '/only-here');
    assert.match(cut.verdict.summary, /fewer than two members could be walked/);
    const closed = [{ perms: 31, id: { scheme: 'ip', id: '192.0.2.1' } }];
    for (const { connectString } of [one, two]) {
      await withClient(connectString, async (client) => {
        await client.create('/hidden');
        await client.setACL('/hidden', closed);
      });
    }
    const textOf = async (...args: string[]) =>
      (await compare(...args)).verdict.problems.map(({ text }) => text).join();
    assert.match(await textOf('--max-znodes', '1'), /not all znodes were compared: add --max-/);
    assert.match(await textOf(), /1 znode without READ, so not compared: add --auth/);
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

test('an interrupted probe cleans up and exits with 130', async () => {
  const server = await startBundled();
  try {
    const args = ['latency', '--servers', server.connectString, '--count', '1000000', ...PATIENT];
    const child = spawn(process.execPath, [ZKOPS, ...args], { stdio: 'ignore' });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await waitFor('the probe to work', async () => {
      const text = (await askWord({ host: '127.0.0.1', port: server.port }, 'cons', {})).toString();
      return /sid=0x\w+,lop=(?!SESS)/.test(text);
    });
    child.kill('SIGINT');
    assert.is(await ended, 130);
    assert.equal(await leftBehind(server.connectString), []);
  } finally {
    await server.close();
  }
});

interface Ensemble {
  /** The addresses of all members. The last one is an observer. */
  readonly all: readonly string[];
  readonly stop: (place: number) => Promise<unknown>;
  readonly start: (place: number) => unknown;
}

/** Runs all probes on the whole ensemble, then without a follower, and after its return. */
async function probeEnsemble({ all, stop, start }: Ensemble): Promise<void> {
  const servers = ['--servers', all.join(','), ...PATIENT];
  const probe = (...args: string[]) => taskJson([...args, ...servers], { ask: askWord });
  const mayStop = async (server: string) => (await probe('gate', '--restart', server)).exitCode;
  const observer = all.at(-1) ?? '';
  assert.is((await probe('gate', '--wait', '60000')).exitCode, 0);
  for (const args of [
    ['latency', '--count', '20'],
    ['smoke'],
    ['consistency'],
    ['consistency', '--walk'],
    ['drift'],
    ['clients'],
    ['watches', '--by', 'path'],
    ['gate', '--restart', all[0] ?? ''],
    ['gate', '--restart', observer],
  ]) {
    const { verdict } = await probe(...args);
    assert.equal(verdict.problems.filter(isNoLimit), [], args.join(' '));
  }
  assert.equal(await leftBehind(all[0] ?? ''), []);
  const { rows } = await probe('gate');
  const followers = rows.filter(({ role }) => role === 'follower').map(({ server }) => server);
  const [first, second] = [String(followers[0]), String(followers[1])];
  const place = all.indexOf(first);
  await stop(place);
  assert.is(await mayStop(second), 2, 'one voter is down already');
  assert.is(await mayStop(observer), 0, 'an observer has no vote');
  assert.is(await mayStop(first), 0, 'it is down');
  const smoke = await probe('smoke');
  assert.equal(
    smoke.verdict.problems.map(({ code }) => code),
    ['no-session'],
  );
  await start(place);
  assert.is((await probe('gate', '--wait', '60000')).exitCode, 0, 'it is back');
}

oracleTest('all probes on an ensemble of three Apache servers and an observer', async () => {
  const seats = await makeSeats({ participants: 3, observers: 1 });
  try {
    const started = seats.all.map(({ sid }) => seats.startApache(sid));
    for (const seat of seats.all) await waitUntilServing(seat);
    await probeEnsemble({
      all: seats.all.map(({ connectString }) => connectString),
      stop: async (place) => started[place]?.stop('SIGKILL'),
      start: (place) => seats.startApache(place + 1),
    });
  } finally {
    await seats.close();
  }
});

test('all probes on an ensemble of three bundled servers and an observer', async () => {
  const config = { '4lw.commands.whitelist': '*', 'admin.enableServer': 'false' };
  const ensemble = await startEnsemble({ size: 3, observers: 1, config });
  const { members } = ensemble;
  try {
    await probeEnsemble({
      all: members.map(({ connectString }) => connectString),
      stop: async (place) => members[place]?.close(),
      start: (place) => members[place]?.start(),
    });
  } finally {
    await ensemble.close();
  }
});

test.run();
