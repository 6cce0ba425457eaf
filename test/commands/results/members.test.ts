import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpsResult } from '../../../src/commands/ensemble/verdict/result.js';
import { renderMembers } from '../../../src/commands/results/members.js';
import type { ShowOptions } from '../../../src/commands/results/pairs.js';
import { describeTerminal } from '../../../src/commands/terminal/ops-terminal.js';
import { golden } from '../../fourlw/captured-view.js';
import { answering, captured, failing, srvrText, verbNamed } from '../zkops/members-of.js';
import { resultOf } from '../zkops/results.js';

const mntr = verbNamed('mntr');
const srvr = verbNamed('srvr');
const SHOW: ShowOptions = { output: 'table', isAll: false, keys: undefined, isQuiet: false };

function render(result: OpsResult, show: Partial<ShowOptions> = {}, width = 80): string {
  return renderMembers(result, { ...SHOW, ...show }, { width, isColor: false }).toString();
}

const ENSEMBLE = resultOf(mntr, [
  captured(mntr, 'leader', 2181),
  captured(mntr, 'f1', 2182),
  failing(mntr, 2183, 'refused'),
  captured(mntr, 'observer', 2184),
]);

test('the table fits 80 columns: one row per member, footnotes, the verdict', () => {
  assert.is(
    render(ENSEMBLE),
    `\
MEMBER         STATE    ROLE      ZXID         AVG ms  OUT  CONNS  SYNCED
10.0.0.1:2181  serving  leader    0x100000008     5.5    0      2  2/2
10.0.0.1:2182  serving  follower  0x100000008   17.33    0      2  -
10.0.0.1:2183  refused  -         -                 -    -      -  -
10.0.0.1:2184  serving  observer  0x100000008    5.75    0      2  -

10.0.0.1:2183: connection refused; start the server, correct its port in the
  list, or check the firewalls in between.
See runbook: member:refused
WARNING: 10.0.0.1:2183: connection refused; 10.0.0.1:2181 leads, 2 of 3 voters
  in sync, no more may fail
`,
  );
});

test('a wide terminal shows every column that some member fills', () => {
  const [heading] = render(ENSEMBLE, {}, 200).split('\n');
  assert.is(
    heading?.trim().replace(/ +/g, ' '),
    'MEMBER STATE ROLE ZXID LAG AVG ms P99u ms P99r ms OUT CONNS WATCH ZNODES DATA FSYNC ms FD% SYNCED UP VERSION',
  );
});

test('no line is wider than the terminal, whatever its width', () => {
  for (const width of [40, 60, 80, 100, 132]) {
    for (const line of render(ENSEMBLE, {}, width).split('\n')) {
      assert.ok(line.length <= width, `${width}: ${line}`);
    }
  }
});

test('color only adds escapes to the text', () => {
  const colored = renderMembers(ENSEMBLE, SHOW, { width: 80, isColor: true }).toString();
  assert.ok(colored.includes('\u001b[31mrefused'));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test removes escapes
  assert.is(colored.replace(/\u001b\[\d+m/g, ''), render(ENSEMBLE));
});

test('color requires a terminal, NO_COLOR disables it, and FORCE_COLOR overrides both', () => {
  const color = (isTTY: boolean, env: Record<string, string>) =>
    describeTerminal({ isTTY }, env).isColor;
  assert.is(color(true, {}), true);
  assert.is(color(false, {}), false);
  assert.is(color(true, { NO_COLOR: '1' }), false);
  assert.is(color(true, { NO_COLOR: '' }), true);
  assert.is(color(true, { TERM: 'dumb' }), false);
  assert.is(color(false, { FORCE_COLOR: '1', NO_COLOR: '1' }), true);
  assert.is(color(true, { FORCE_COLOR: '0' }), false);
  assert.is(describeTerminal({}, {}).width, 80);
  assert.is(describeTerminal({}, { COLUMNS: '132' }).width, 132);
  assert.is(describeTerminal({ columns: 100 }, { COLUMNS: '132' }).width, 100);
});

test('JSON is versioned and exact, and includes failures', () => {
  const document = JSON.parse(render(ENSEMBLE, { output: 'json' }));
  assert.is(document.schema, 'zkops/1');
  assert.is(document.verb, 'mntr');
  assert.is(document.verdict.level, 'warning');
  assert.is(document.verdict.exitCode, 1);
  const [leader, , dead] = document.members;
  assert.is(leader.zxid, '0x100000008');
  assert.is(leader.role, 'leader');
  assert.is(leader.lag, '0');
  assert.is(leader.metrics.avg_latency, 5.5);
  assert.is(leader.metrics.synced_followers, 2);
  assert.is(dead.state, 'refused');
  assert.is(dead.error.reason, 'refused');
  assert.is(dead.role, null);
});

test('every verb gives JSON for every member, with or without a response', () => {
  for (const name of ['srvr', 'stat', 'cons', 'conf', 'envi', 'wchc', 'wchp', 'dump', 'dirs']) {
    const verb = verbNamed(name);
    const members = [captured(verb, 'leader', 1), failing(verb, 2, 'timeout')];
    const document = JSON.parse(render(resultOf(verb, members), { output: 'json' }));
    assert.is(document.members.length, 2, name);
    assert.is(document.members[0].error, null, name);
    assert.is(document.members[1].error.reason, 'timeout', name);
    assert.ok(render(resultOf(verb, members)).includes('timeout'), name);
  }
});

test('JSON lines are one per member and one for the verdict', () => {
  const lines = render(ENSEMBLE, { output: 'ndjson' }).trimEnd().split('\n');
  const parsed = lines.map((line) => JSON.parse(line));
  assert.equal(
    parsed.map(({ server }) => server),
    ['10.0.0.1:2181', '10.0.0.1:2182', '10.0.0.1:2183', '10.0.0.1:2184', undefined],
  );
  assert.is(parsed[4].verdict.level, 'warning');
});

test('CSV and plain have exact values in stable columns', () => {
  const [head, first, , dead] = render(ENSEMBLE, { output: 'csv' }).split('\n');
  assert.ok(head?.startsWith('server,state,role,zxid,lag_txns,avg_latency,'));
  assert.ok(first?.startsWith('10.0.0.1:2181,serving,leader,0x100000008,0,5.5,'));
  assert.ok(dead?.endsWith(',connection refused'));
  const [plain] = render(ENSEMBLE, { output: 'plain' }).split('\n');
  assert.equal(plain?.split('\t').slice(0, 4), [
    '10.0.0.1:2181',
    'serving',
    'leader',
    '0x100000008',
  ]);
});

test('CSV quotes fields where needed', () => {
  const envi = verbNamed('envi');
  const member = answering(envi, 1, () => 'Environment:\nuser.name=a,"b"\nos.arch=\u001b[31m\n');
  const text = render(resultOf(envi, [member]), { output: 'csv' });
  assert.ok(text.includes(',"a,""b""",'), text);
  assert.ok(
    text.includes('\\u{1b}[31m') && !text.includes('\u001b'),
    'no escape reaches a terminal',
  );
});

test('raw prints the bytes of one member, or those of several under headings', () => {
  const one = resultOf(srvr, [captured(srvr, 'leader', 1)]);
  assert.is(render(one, { output: 'raw' }), golden('leader', 'srvr'));
  const conf = verbNamed('conf');
  const two = resultOf(conf, [captured(conf, 'leader', 1), failing(conf, 2, 'refused')]);
  assert.is(
    render(two, { output: 'raw' }),
    `==> 10.0.0.1:1 <==\n${golden('leader', 'conf')}\n\n==> 10.0.0.1:2 <==\n`,
  );
});

test('nagios is one line with performance data', () => {
  const text = render(ENSEMBLE, { output: 'nagios' });
  const start =
    'ZOOKEEPER WARNING - 10.0.0.1:2183: connection refused; 10.0.0.1:2181 leads, 2 of 3';
  assert.ok(text.startsWith(start), text);
  assert.is(text.split('connection refused').length, 2, text);
  const [, figures = ''] = text.split(' | ');
  assert.match(figures, /^members_up=3;;;0;4 ('[^'=]+'=-?[\d.]+(ms)?[ \n])+$/);
  for (const figure of ["'10.0.0.1:2181'=3ms", "'10.0.0.1:2184 outstanding_requests'="]) {
    assert.ok(figures.includes(figure), text);
  }
  assert.is(text.split('\n').length, 2);
});

test('prom separates up from serving, and has no names of znodes in its metrics', () => {
  const members = [captured(mntr, 'standalone', 1), failing(mntr, 2, 'not-serving')];
  const text = render(resultOf(mntr, members), { output: 'prom' });
  assert.ok(text.includes('zk_up{server="10.0.0.1:2"} 1\n'));
  assert.ok(text.includes('zk_serving{server="10.0.0.1:2"} 0\n'));
  assert.ok(text.includes('zk_znodes{server="10.0.0.1:1"} 600163\n'));
  assert.not.ok(text.includes('per_namespace'));
  const names = text.match(/^# TYPE \S+/gm) ?? [];
  assert.is(new Set(names).size, names.length);
});

test('--all and --keys show the values of the members side by side', () => {
  const two = resultOf(mntr, [captured(mntr, 'leader', 1), captured(mntr, 'f1', 2)]);
  const text = render(two, { keys: /^.*proposal_size$/ });
  assert.ok(
    text.startsWith(
      [
        'KEY                 10.0.0.1:1  10.0.0.1:2',
        'min_proposal_size   48          -',
        'max_proposal_size   90          -',
        'last_proposal_size  89          -',
        '',
        '',
      ].join('\n'),
    ),
    text,
  );
  const narrow = render(two, { keys: /^version$/ });
  assert.ok(narrow.startsWith('MEMBER      KEY      VALUE\n10.0.0.1:1  version  3.8.0'), narrow);
  const json = JSON.parse(render(two, { keys: /^uptime$/, output: 'json' }));
  assert.equal(json.members[0].values, { uptime: '45892' });
});

test('--diff shows the values that differ between members', () => {
  const two = resultOf(mntr, [captured(mntr, 'f1', 1), captured(mntr, 'f2', 2)]);
  const text = render(two, { isDiff: true, keys: /^.*_c.*nt$/ });
  assert.match(text, /^ephemerals_count|^packets|^\w+_count/m);
  assert.not.match(text, /^znode_count/m);
  const json = JSON.parse(render(two, { isDiff: true, output: 'json' }));
  assert.is(json.members[0].values.znode_count, undefined);
  assert.not.equal(json.members[0].values.uptime, json.members[1].values.uptime);
});

test('--all lists each connection and watch', () => {
  const cons = verbNamed('cons');
  const text = render(resultOf(cons, [captured(cons, 'leader', 1)]), { isAll: true }, 120);
  assert.ok(text.includes('127.0.0.1:36128  0x300001226380000  GETD'), text);
  const wchc = verbNamed('wchc');
  const watches = render(resultOf(wchc, [captured(wchc, 'f1', 1)]), { isAll: true });
  assert.ok(watches.includes('10.0.0.1:1  0x100001226710000  /a/e1'), watches);
});

test('-q prints nothing when healthy, and otherwise a dated line per problem', () => {
  const well = resultOf(srvr, [answering(srvr, 1, () => srvrText('standalone'))]);
  assert.is(render(well, { isQuiet: true }), '');
  const dead = resultOf(srvr, [failing(srvr, 1, 'refused')]);
  const lines = render(dead, { isQuiet: true }).trimEnd().split('\n');
  assert.is(lines.length, 2);
  assert.is(lines[0], '2026-11-21T08:00:00.000Z CRITICAL no member serves: no answers');
  assert.ok(
    lines[1]?.startsWith('2026-11-21T08:00:00.000Z WARNING 10.0.0.1:1: connection refused'),
  );
});

test('a refusal of mntr is a footnote that names the line of zoo.cfg', () => {
  const member = answering(mntr, 1, (word) =>
    word === 'mntr' ? 'not-whitelisted' : srvrText('standalone'),
  );
  const text = render(resultOf(mntr, [member]));
  assert.ok(text.includes('mntr is not in its whitelist; add'), text);
  assert.ok(text.includes('4lw.commands.whitelist=srvr,mntr'), text);
  assert.match(text, /UNKNOWN: 10\.0\.0\.1:1: mntr is not in its whitelist; the standalone/);
  assert.is(text.split('add\n').length, 2, text);
});

test.run();
