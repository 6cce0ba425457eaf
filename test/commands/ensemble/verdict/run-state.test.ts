import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Member } from '../../../../src/commands/ensemble/member.js';
import type { OpsResult } from '../../../../src/commands/ensemble/verdict/result.js';
import { advance, type RunState } from '../../../../src/commands/ensemble/verdict/run-state.js';
import { formatState, parseState } from '../../../../src/commands/ensemble/verdict/state-file.js';
import { answering, failing, srvrText, verbNamed } from '../../zkops/members-of.js';
import { resultOf } from '../../zkops/results.js';

const health = verbNamed('health');

function member(
  mode: string,
  port: number,
  { zxid = '0x100000008', uptimeMs = 60_000 } = {},
): Member {
  return answering(health, port, (word) =>
    word === 'srvr' ? srvrText(mode, zxid) : `zk_server_state\t${mode}\nzk_uptime\t${uptimeMs}\n`,
  );
}

const dead = (port: number) => failing(health, port, 'refused');
const ENSEMBLE = [member('leader', 1), member('follower', 2), member('follower', 3)];
const ONE_DOWN = [...ENSEMBLE.slice(0, 2), dead(3)];

/** Runs one after another. Returns the changes of each as `kind level server`. */
function tell(runs: readonly (readonly Member[])[], forRuns = 1): readonly (readonly string[])[] {
  return walk(runs, forRuns).map(({ changes = [] }) =>
    changes.map(({ kind, level, server = '-' }) => `${kind} ${level} ${server}`),
  );
}

function walk(runs: readonly (readonly Member[])[], forRuns: number): readonly OpsResult[] {
  let state: RunState | undefined;
  return runs.map((members) => {
    const next = advance(state, resultOf(health, members), forRuns);
    // As text, because runs pass it on in a file.
    state = parseState(formatState(next.state));
    return next.result;
  });
}

test('a problem is reported once when it appears and once when it is gone', () => {
  assert.equal(tell([ENSEMBLE, ONE_DOWN, ONE_DOWN, ENSEMBLE, ENSEMBLE]), [
    [],
    ['problem warning 10.0.0.1:3'],
    [],
    ['recovered healthy 10.0.0.1:3'],
    [],
  ]);
});

test('with --for, a problem counts from its third run in a row, and flapping is not reported', () => {
  const flapping = [ONE_DOWN, ENSEMBLE, ONE_DOWN, ONE_DOWN, ENSEMBLE];
  assert.equal(tell(flapping, 3).flat(), []);
  assert.equal(tell([ONE_DOWN, ONE_DOWN, ONE_DOWN, ONE_DOWN], 3), [
    [],
    [],
    ['problem warning 10.0.0.1:3'],
    [],
  ]);
  // The recovery needs as many runs, and a return before that is not a change.
  const back = [...Array(3).fill(ONE_DOWN), ENSEMBLE, ONE_DOWN, ENSEMBLE, ENSEMBLE, ENSEMBLE];
  assert.equal(tell(back, 3).slice(3), [[], [], [], [], ['recovered healthy 10.0.0.1:3']]);
});

test('a problem that does not count yet is pending: it is shown without effect on the verdict', () => {
  const [first, , third] = walk([ONE_DOWN, ONE_DOWN, ONE_DOWN], 3);
  assert.is(first?.verdict.level, 'healthy');
  assert.is(first?.verdict.pending?.length, 1);
  assert.match(first?.verdict.summary ?? '', 'in too few runs in a row');
  assert.is(third?.verdict.level, 'warning');
  assert.is(third?.verdict.pending, undefined);
});

test('a problem that becomes worse is reported again', () => {
  const runs = [[failing(health, 1, 'refused')], [failing(health, 1, 'unreadable')]];
  assert.ok(tell(runs)[1]?.includes('problem unknown 10.0.0.1:1'));
  const outstanding = (level: 'warning' | 'critical'): OpsResult => {
    const result = resultOf(health, ENSEMBLE);
    const problem = { level, code: 'limit:lag', server: 'a:1', text: level } as const;
    return { ...result, verdict: { ...result.verdict, level, problems: [problem] } };
  };
  const first = advance(undefined, outstanding('warning'), 1);
  const second = advance(first.state, outstanding('critical'), 1);
  assert.equal(second.result.changes, [
    { kind: 'level', level: 'critical', server: 'a:1', text: 'was warning: critical' },
  ]);
});

test('a counter that grew is reported each time; with --for, once it grows in as many runs', () => {
  const grown = (value: number): OpsResult => {
    const result = resultOf(health, ENSEMBLE);
    const text = `connections refused: ${value}`;
    const problem = { level: 'warning', code: 'limit:x', server: 'a:1', text } as const;
    const problems = value === 0 ? [] : [{ ...problem, isEvent: true } as const];
    return { ...result, verdict: { ...result.verdict, level: 'warning', problems } };
  };
  const told = (forRuns: number, values: readonly number[]) => {
    let state: RunState | undefined;
    return values.map((value) => {
      const next = advance(state, grown(value), forRuns);
      state = next.state;
      const { verdict, changes } = next.result;
      return [verdict.level, ...(changes?.map(({ kind, text }) => `${kind} ${text}`) ?? [])];
    });
  };
  assert.equal(told(1, [3, 2]), [
    ['warning', 'problem connections refused: 3'],
    ['warning', 'problem connections refused: 2'],
  ]);
  assert.equal(told(3, [3, 2, 4, 1]), [
    ['healthy'],
    ['healthy'],
    ['warning', 'problem connections refused: 4'],
    ['warning'],
  ]);
});

test('with --for, one restart of the leader prints nothing, and one in each run is reported', () => {
  const at = (uptimeMs: number) => [
    member('leader', 1, { zxid: '0x100000001', uptimeMs }),
    ...ENSEMBLE.slice(1),
  ];
  const after = [
    member('follower', 1, { zxid: '0x200000001', uptimeMs: 5000 }),
    member('leader', 2, { zxid: '0x200000001', uptimeMs: 90_000 }),
    member('follower', 3, { zxid: '0x200000001', uptimeMs: 90_000 }),
  ];
  const runs = walk(
    [ENSEMBLE, [failing(health, 1, 'refused'), ...after.slice(1)], after, after],
    3,
  );
  assert.equal(
    runs.map(({ verdict, changes }) => [verdict.level, changes]),
    runs.map(() => ['healthy', []]),
  );
  const looping = [at(90_000), at(8000), at(7000), at(6000), at(5000)];
  assert.equal(tell(looping, 3), [[], [], [], ['problem warning 10.0.0.1:1'], []]);
});

test('a standalone or read-only member is not an election', () => {
  const at = (mode: string, zxid: string) => [member(mode, 1, { zxid })];
  assert.equal(tell([at('standalone', '0x1'), at('standalone', '0x200000001')]).flat(), []);
});

test('a role change, a restart, and an election are changes, but not problems', () => {
  const later = [
    member('follower', 1, { zxid: '0x200000001', uptimeMs: 90_000 }),
    member('leader', 2, { zxid: '0x200000001', uptimeMs: 90_000 }),
    member('follower', 3, { zxid: '0x200000001', uptimeMs: 5000 }),
  ];
  const [, second] = walk([ENSEMBLE, later], 1);
  assert.equal(
    second?.changes?.map(({ kind, server, text }) => [kind, server, text]),
    [
      ['role', '10.0.0.1:1', 'was leader, is follower'],
      ['role', '10.0.0.1:2', 'was follower, is leader'],
      ['restart', '10.0.0.1:3', 'restarted 5s ago'],
      ['election', undefined, 'a new epoch was elected: 2 (before: 1)'],
    ],
  );
});

test('a member that was away for a run is compared with its last state', () => {
  const changed = [...ENSEMBLE.slice(0, 2), member('observer', 3)];
  assert.equal(tell([ENSEMBLE, ONE_DOWN, changed])[2], [
    'role warning 10.0.0.1:3',
    'recovered healthy 10.0.0.1:3',
  ]);
});

test('the memory is that of mntr, else of envi by the kind of the server', () => {
  const memoryOf = (envi: string, mntr = '') => {
    const verb = { ...health, words: [...health.words, 'envi'] } as const;
    const texts: Record<string, string> = { envi, mntr: `zk_server_state\tleader\n${mntr}` };
    const one = answering(verb, 1, (word) => texts[word] ?? srvrText('leader'));
    return advance(undefined, resultOf(verb, [one]), 1).state.trend[0]?.members['10.0.0.1:1']
      ?.memoryBytes;
  };
  const apache = 'java.vendor=Debian\nos.memory.free=177MB\nos.memory.total=193MB\n';
  const renamed = apache.replaceAll('os.memory', 'jvm.memory');
  assert.is(memoryOf(apache), 16 * 1024 * 1024);
  assert.is(memoryOf(renamed), 16 * 1024 * 1024);
  assert.is(memoryOf(apache.replace('Debian', 'Node.js')), 193 * 1024 * 1024);
  assert.is(memoryOf(apache, 'zk_process_resident_memory_bytes\t7.0E7\n'), 70_000_000);
  assert.is(memoryOf('java.vendor=Debian\n'), undefined);
});

test('the trend keeps only the last week of runs', () => {
  let state: RunState | undefined;
  for (let run = 0; run < 2020; run += 1) {
    state = advance(state, resultOf(health, ENSEMBLE), 1).state;
  }
  assert.is(state?.trend.length, 2016);
  assert.is(state?.trend[0]?.members['10.0.0.1:1']?.isServing, true);
});

test('a zxid keeps all bits in the file', () => {
  const big = resultOf(health, [member('leader', 1, { zxid: '0x7fffffffffffffff' })]);
  const { state } = advance(undefined, big, 1);
  const back = parseState(formatState(state));
  assert.is(back.members.get('10.0.0.1:1')?.zxid, 0x7fffffffffffffffn);
  assert.equal(back, state);
});

test('an invalid state is refused', () => {
  for (const text of ['', '{', 'null', '[]', '{"schema":"zkops-state/2"}', '{"schema":1}']) {
    assert.throws(() => parseState(text));
  }
});

test.run();
