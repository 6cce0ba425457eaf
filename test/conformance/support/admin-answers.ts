import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../src/client/zookeeper.js';
import {
  LATER_BASIC_SUMMARIES,
  LATER_COUNTERS,
  OPERATION_COUNTERS,
  TTL_COUNTERS,
} from '../../../src/fourlw/base/mntr-keys.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import { isOracle39 } from '../../support/apache/oracle.js';

/** Commands of the AdminServer whose responses must be identical. */
export const SAME = [
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

/** Their responses must have the same fields of the same types; in 3.8, in the same order. */
export const ALIKE = [
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

/** Metrics that the oracle lacks. */
const LATER_METRICS = [
  ...TTL_COUNTERS,
  ...OPERATION_COUNTERS,
  ...(isOracle39 ? [] : [...LATER_COUNTERS, ...LATER_BASIC_SUMMARIES]),
];
const LATER = new RegExp(
  ` *"(?:(?:avg|min|max|cnt|sum)_)?(?:${LATER_METRICS.join('|')})" : .*\\n`,
  'g',
);

/**
 * Replaces values by their types, and removes keys that are ids or times. The fields are in the
 * order of 3.8; that of 3.9 depends on how many there are, and on the Java machine.
 */
export function shapeOf(answer: string): string {
  const shape = answer
    .replace(LATER, '')
    .replace(/"-?\d+" : /g, '"N" : ')
    // Apache keeps empty buckets of the session tracker.
    .replace(/ *"N" : \[ \],\n/g, '')
    .replace(/ : -?\d+\.\d+(E-?\d+)?/g, ' : 1.5')
    .replace(/(: |\[ |, )-?\d+(?=[,\s])/g, '$11')
    .replace(/("[^"]*" : )"(?:[^"\\]|\\.)*"/g, '$1"text"');
  return isOracle39 ? linesOf(shape).sort().join('\n') : shape;
}

/** The lines of a shape, without the commas between them. */
export function linesOf(shape: string): string[] {
  return shape.split('\n').map((line) => line.replace(/,$/, ''));
}

async function ask(port: number, command: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/commands/${command}`);
  assert.is(response.status, 200, command);
  assert.match(response.headers.get('content-type') ?? '', 'application/json');
  return response.text();
}

/** Plays a session on the server, and asks every command meanwhile. */
export async function gatherAnswers(
  connectString: string,
  adminPort: number,
): Promise<ReadonlyMap<string, string>> {
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
    await client.delete('/node/ephemeral');
    await client.delete('/node');
    return answers;
  } finally {
    await client.close();
  }
}
