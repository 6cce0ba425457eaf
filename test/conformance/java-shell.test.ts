/**
 * Runs one script in Apache's Java shell (ZooKeeperMain), with the same output on either server.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../src/protocol/op-code.js';
import { oracleTest, spawnJava, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { Dialogue } from './support/dialogue.js';
import { RawClient } from './support/raw-client.js';

const SCRIPT = [
  'create /a hello',
  'get /a',
  'get -s /a',
  'create /a again',
  'create /missing/child x',
  'create -e /a/eph owned',
  'create /a/eph/child x',
  'create -s /a/seq- one',
  'create -s /a/seq- two',
  'create -e -s /a/both- three',
  'ls /',
  'ls -s /a',
  'ls -R /a',
  'stat /a',
  'stat /missing',
  'get -w /a',
  'set /a world',
  'set -s /a again',
  'set -v 7 /a never',
  'get /a',
  'stat -w /later',
  'create /later x',
  'ls -w /later',
  'create /later/child x',
  'addWatch -m PERSISTENT /later',
  'set /later y',
  'set /later z',
  'removewatches /later',
  'delete /later',
  'delete -v 9 /later/child',
  'deleteall /later',
  'create /read-only x world:anyone:r',
  'set /read-only y',
  'create /read-only/child y',
  'getAcl -s /read-only',
  'setAcl /read-only world:anyone:cdrwa',
  'addauth digest bob:secret',
  'create /bobs x auth::cdrwa',
  'getAcl /bobs',
  'create /anns x digest:ann:nonsense:cdrwa',
  'get /anns',
  'setAcl /a foo:bar:r',
  'create -c /container x',
  'create -t 5000 /ttl x',
  'getEphemerals',
  'getAllChildrenNumber /a',
  'whoami',
  'sync /',
  'reconfig -remove 3',
  'delete /missing',
  'quit',
];

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** The events of its watches, in order. */
  readonly events: readonly string[];
}

async function runShell(port: number): Promise<Said> {
  const shell = new Dialogue(
    spawnJava(['org.apache.zookeeper.ZooKeeperMain', '-server', `127.0.0.1:${port}`], {
      'org.slf4j.simpleLogger.defaultLogLevel': 'off',
    }),
  );
  try {
    shell.say(...SCRIPT);
    const code = await shell.finish();
    return { code, ...sortOut(shell.out), err: masked(shell.err) };
  } finally {
    await shell.kill();
  }
}

const EVENT = /\nWATCHER::\n\nWatchedEvent (.*)\n/g;

/** A separate thread prints events, anywhere between the responses. */
function sortOut(out: string): { out: string; events: string[] } {
  const all = [...out.matchAll(EVENT)].map(([, event = '']) => event);
  // The shell may end before its thread prints the event of its own close.
  const events = all.filter((event) => !event.startsWith('state:Closed'));
  return { out: masked(out.replaceAll(EVENT, '')), events };
}

/** Times, session ids, and ports differ between servers. Apache's keeps ids in a hash set. */
function masked(text: string): string {
  return text
    .replace(/(?<=Auth scheme: User\n)(.*: .*\n)+/, (ids) => ids.split('\n').sort().join('\n'))
    .replaceAll(/^([cm]time) = .*$/gm, '$1 = …')
    .replaceAll(/^ephemeralOwner = 0x[1-9a-f][0-9a-f]*$/gm, 'ephemeralOwner = …')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:…');
}

oracleTest("Apache's Java shell prints the same for both servers", async () => {
  const config = { extendedTypesEnabled: 'true' };
  const [bundled, oracle] = await Promise.all([startBundled({ config }), startOracle({ config })]);
  try {
    const ours = await runShell(bundled.port);
    const theirs = await runShell(oracle.port);
    assert.is(ours.out, theirs.out);
    assert.is(ours.err, theirs.err);
    assert.equal(ours.events, theirs.events);
    assert.is(ours.code, theirs.code);

    // Equal output is not enough: it must be the expected one.
    assert.match(ours.out, /^hello$/m);
    assert.match(ours.out, /seq-0000000001, seq-0000000002/);
    assert.match(ours.err, 'Node already exists: /a');
    assert.match(ours.err, 'Ephemerals cannot have children: /a/eph/child');
    assert.match(ours.err, 'version No is not valid : /a');
    assert.match(ours.err, /(Insufficient permission|Authentication is not valid) : \/read-only/);
    assert.ok(ours.events.some((event) => /type:NodeDataChanged path:\/a/.test(event)));
    assert.ok(ours.events.some((event) => /type:NodeCreated path:\/later/.test(event)));

    const raw = await RawClient.connect(bundled.port);
    for (const path of ['/a/eph', '/a/both-0000000003']) {
      const { err } = await raw.call(OpCode.exists, { path, watch: false });
      assert.is(err, -101, `${path} ended with its session`);
    }
    await raw.close();
  } finally {
    await bundled.close();
    await oracle.close();
  }
});

test.run();
