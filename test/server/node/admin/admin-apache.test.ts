import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../../src/client/zookeeper.js';
import {
  LATER_BASIC_SUMMARIES,
  LATER_COUNTERS,
  OPERATION_COUNTERS,
  TTL_COUNTERS,
} from '../../../../src/fourlw/base/mntr-keys.js';
import { CreateModes } from '../../../../src/protocol/create-mode.js';
import { startBundled } from '../../../support/bundled.js';
import { freePort } from '../../../support/free-port.js';
import { JETTY_JARS, oracleTest, startOracle } from '../../../support/oracle.js';
import { waitFor } from '../../../support/wait-for.js';

// Runs the same session against the AdminServer of Apache's 3.8 and the bundled one. Only values
// that depend on the process or the time may differ.

/** Responses that must be identical. */
const SAME = [
  'leader',
  'zabstate',
  'voting_view',
  'observers',
  'is_read_only',
  'ruok',
  'get_trace_mask',
  'gtmk',
  'set_trace_mask?traceMask=306',
  'stmk?traceMask=-1',
  'nosuch',
  'nosuch/',
  'watch_summary',
  'wchs',
  'connection_stat_reset',
  'crst',
  'observer_connection_stat_reset',
  'orst',
];

/** Responses with the same fields, in the same order, of the same types. */
const ALIKE = [
  'configuration',
  'conf',
  'connections',
  'cons',
  'dirs',
  'dump',
  'environment',
  'hash',
  'initial_configuration',
  'last_snapshot',
  'monitor',
  'mntr',
  'server_stats',
  'srvr',
  'stats',
  'stat',
  'watches',
  'watches_by_path',
  'stat_reset',
];

/**
 * 3.8 sometimes puts the error of `leader` before its name. 3.9 never does, and sets the order
 * here.
 */
function errorLast(answer: string): string {
  return answer.replace(/^\{\n {2}("error" : .*),\n {2}("command" : .*)\n\}$/, '{\n  $2,\n  $1\n}');
}

/** Metrics that only 3.9 and 3.10 have. */
const LATER_METRICS = [
  ...LATER_COUNTERS,
  ...TTL_COUNTERS,
  ...OPERATION_COUNTERS,
  ...LATER_BASIC_SUMMARIES,
];
const LATER = new RegExp(
  ` *"(?:(?:avg|min|max|cnt|sum)_)?(?:${LATER_METRICS.join('|')})" : .*\\n`,
  'g',
);

/** Replaces values by their types, and removes keys that are ids or times. */
function shapeOf(answer: string): string {
  return (
    answer
      .replace(/"-?\d+" : /g, '"N" : ')
      // Apache keeps empty buckets of the session tracker.
      .replace(/ *"N" : \[ \],\n/g, '')
      .replace(/ : -?\d+\.\d+(E-?\d+)?/g, ' : 1.5')
      .replace(/(: |\[ |, )-?\d+(?=[,\s])/g, '$11')
      .replace(/("[^"]*" : )"(?:[^"\\]|\\.)*"/g, '$1"text"')
  );
}

async function ask(port: number, command: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/commands/${command}`);
  assert.is(response.status, 200, command);
  assert.match(response.headers.get('content-type') ?? '', 'application/json');
  return response.text();
}

async function gather(connectString: string, adminPort: number): Promise<Map<string, string>> {
  const client = new ZooKeeper({ connectString, sessionTimeoutMs: 8000 });
  try {
    await client.connect();
    await client.create('/node', Buffer.from('data'));
    await client.create('/node/ephemeral', null, { mode: CreateModes.EPHEMERAL });
    await client.getData('/node', { watch: () => undefined });
    await client.exists('/none', { watch: () => undefined });
    await client.getChildren('/', { watch: () => undefined });
    for (let i = 0; i < 260; i++) await client.setData('/node/ephemeral', Buffer.from(String(i)));
    const answers = new Map<string, string>();
    for (const command of [...ALIKE.slice(0, -1), ...SAME, 'stat_reset']) {
      answers.set(command, errorLast(await ask(adminPort, command)));
    }
    return answers;
  } finally {
    await client.close();
  }
}

oracleTest("the responses match Apache's AdminServer", async () => {
  const adminPort = await freePort();
  const oracle = await startOracle({
    jars: JETTY_JARS,
    // An archive of classes would change the order of methods, and so of the JSON fields.
    options: [],
    config: {
      'admin.enableServer': true,
      'admin.serverPort': adminPort,
      'admin.serverAddress': '127.0.0.1',
    },
  });
  const bundled = await startBundled({
    dataDir: `${oracle.dataDir}-bundled`,
    config: {
      'admin.enableServer': 'true',
      'admin.serverPort': '0',
      'admin.serverAddress': '127.0.0.1',
    },
  });
  try {
    await waitFor("Apache's AdminServer", () => oracle.output().includes('Started AdminServer'));
    const expected = await gather(oracle.connectString, adminPort);
    const found = await gather(bundled.connectString, bundled.adminPort ?? 0);
    for (const command of SAME) assert.is(found.get(command), expected.get(command), command);
    for (const command of ALIKE) {
      const [own, apache] = [found.get(command) ?? '', expected.get(command) ?? ''];
      assert.is(shapeOf(own.replace(LATER, '')), shapeOf(apache), command);
    }
    const pages = await Promise.all(
      [bundled.adminPort, adminPort].map(async (port) => {
        return (await fetch(`http://127.0.0.1:${port}/commands`)).text();
      }),
    );
    const [own = '', apache = ''] = pages;
    const isNew = /\/(restore|shed_connections|slow_requests|snapshot)"/;
    const older = own.split('<br/>\n').filter((line) => !isNew.test(line));
    assert.is(older.join('<br/>\n'), apache);
  } finally {
    await bundled.close();
    await oracle.close();
  }
});

test.run();
