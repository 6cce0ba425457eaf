import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Member } from '../../../src/commands/ensemble/member.js';
import { findAlarms } from '../../../src/commands/ensemble/verdict/alarms.js';
import { parseLimit } from '../../../src/commands/ensemble/verdict/limits.js';
import type { Problem } from '../../../src/commands/ensemble/verdict/result.js';
import { judge } from '../../../src/commands/ensemble/verdict/verdict.js';
import { renderMembers } from '../../../src/commands/results/members.js';
import type { ShowOptions } from '../../../src/commands/results/pairs.js';
import { renderReport } from '../../../src/commands/results/report.js';
import { finishedReport } from '../../../src/commands/results/result.js';
import { answering, captured, srvrText, verbNamed } from '../zkops/members-of.js';
import { resultOf } from '../zkops/results.js';

// Members and values in the verdict have the color of its level, and no other text does.

const SHOW: ShowOptions = { output: 'table', isAll: false, keys: undefined, isQuiet: false };
const PAINTS: Readonly<Record<string, string>> = { 31: 'red', 33: 'yellow', 35: 'magenta' };

/** Every colored piece of a text: `red 10.0.0.1:2181`. */
function painted(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for escapes
  const pieces = [...text.matchAll(/\u001b\[(31|33|35)m([^\u001b]*)/g)];
  return pieces.map(([, code = '', piece = '']) => `${PAINTS[code]} ${piece}`.trim());
}

function tableOf(name: string, members: readonly Member[], alarms: readonly Problem[], show = {}) {
  const verb = verbNamed(name);
  const verdict = judge(verb, members, { alarms });
  const result = { ...resultOf(verb, members), verdict };
  const terminal = { width: 200, isColor: true };
  const text = renderMembers(result, { ...SHOW, ...show }, terminal).toString();
  return painted(text.slice(0, text.indexOf('\n\n')));
}

test('a value beyond its limit has the color of that limit, and so has its member', () => {
  const verb = verbNamed('mntr');
  const members = [captured(verb, 'leader', 2181), captured(verb, 'f1', 2182)];
  const limits = [
    parseLimit('warning', 'leader:connections=1'),
    parseLimit('critical', 'follower:znode_count=1'),
  ];
  const alarms = findAlarms({ members, timeMs: 0, earlier: new Map() }, limits);
  const [leader, follower] = members.map(({ server }) => server);
  const expected = [`yellow ${leader}`, 'yellow 2', `red ${follower}`, 'red 9'];
  assert.equal(tableOf('mntr', members, alarms), expected);
  // The same if the metrics are rows.
  const rows = tableOf('mntr', members, alarms, { keys: /^.*a.*_c.*$/ });
  assert.equal(rows, ['yellow 2']);
});

test('members that one sentence names are all colored, and their role too', () => {
  const verb = verbNamed('srvr');
  const members = ['leader', 'follower', 'leader'].map((mode, at) =>
    answering(verb, 2181 + at, () => srvrText(mode)),
  );
  assert.equal(tableOf('srvr', members, []), [
    `red ${members[0]?.server}`,
    'red leader',
    `red ${members[2]?.server}`,
    'red leader',
  ]);
});

test('a healthy member has only the color of its state', () => {
  const verb = verbNamed('srvr');
  const members = ['leader', 'follower'].map((mode, at) =>
    answering(verb, 2181 + at, () => srvrText(mode)),
  );
  assert.equal(tableOf('srvr', members, []), []);
});

async function reportText(isColor: boolean): Promise<string> {
  const problems: Problem[] = [
    { level: 'warning', code: 'limit:lag', server: 'zk2', text: 'it is slow' },
    { level: 'critical', code: 'no-quorum', text: 'something is wrong' },
  ];
  const columns = [
    { title: 'MEMBER', key: 'server' },
    { title: 'TOOK', key: 'took' },
  ];
  const verdict = { level: 'critical', summary: 'bad', problems } as const;
  const rows = [
    ['zk1', 1],
    ['zk2', 900],
  ];
  const report = finishedReport(columns, rows, { verdict });
  const show = { output: 'table', isQuiet: false, verb: 'latency', time: '' } as const;
  const pieces = renderReport(report, show, { width: 80, isColor });
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

test("a row of a probe has the color of its member's problem", async () => {
  assert.equal(painted(await reportText(true)), ['yellow zk2      900', 'yellow zk2', 'red']);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test removes escapes
  assert.is((await reportText(true)).replace(/\u001b\[\d+m/g, ''), await reportText(false));
});

test.run();
