import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { concludeFrom } from '../../../src/commands/ensemble/verdict/blame.js';
import type { Report } from '../../../src/commands/results/result.js';
import { TASKS } from '../../../src/commands/zkops/index.js';
import { hasPromtool, promtoolComplaints } from '../../support/machine/promtool.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { schemaFaults } from '../../support/pages/json-schema.js';
import { readProjectFile } from '../../support/tidy/source-file.js';
import { callTask } from './call-task.js';
import { askFakes, ensemble, serversOf } from './probes/fake-members.js';

/** `zkops gate` over three members, the third healthy or down. */
function gate(isWell: boolean, ...args: readonly string[]) {
  const whole = ensemble(2);
  const members = isWell ? whole : { ...ensemble(1), 3: 'dead' as const };
  const ask = askFakes(members);
  return callTask(['gate', '--servers', serversOf(members), ...args], { ask });
}

async function inFolder(work: (path: (name: string) => string) => Promise<void>): Promise<void> {
  const folder = makeTempDir('zkops-task');
  try {
    await work((name) => join(folder.path, name));
  } finally {
    folder.remove();
  }
}

test('a task with a state and -q prints only changes', () =>
  inFolder(async (path) => {
    const args = ['-q', '--state', path('state'), '--for', '2'];
    assert.equal(await gate(false, ...args), { exitCode: 0, out: '', error: '' });
    const told = await gate(false, ...args);
    assert.is(told.exitCode, 1);
    assert.match(told.out, /^1970-01-01T00:00:00.000Z WARNING 10.0.0.1:3: [^\n]*refused[^\n]*\n$/);
    assert.is((await gate(false, ...args)).out, '');
    await gate(true, ...args);
    assert.match((await gate(true, ...args)).out, / RECOVERED 10.0.0.1:3: ended, first found/);
    assert.match(
      (await gate(false, '--for', '2')).error,
      /^zkops: --for: needs --state FILE, which/,
    );
  }));

test('changes are in the table and in JSON', () =>
  inFolder(async (path) => {
    const state = ['--state', path('state')];
    await gate(true, ...state);
    assert.match((await gate(false, ...state)).out, /New since the previous run:\n- WARNING 10\.0/);
    const { out } = await gate(true, ...state, '-o', 'json');
    const document = JSON.parse(out);
    const [change] = document.changes;
    assert.equal([change.kind, change.server], ['recovered', '10.0.0.1:3']);
    const schema = JSON.parse(readProjectFile('docs/zkops-rows-1.schema.json'));
    assert.equal(schemaFaults(schema, document), []);
  }));

test('--fail-on sets the lowest level that affects the exit status of a task', async () => {
  const code = async (...args: string[]) => (await gate(false, ...args)).exitCode;
  assert.is(await code('--fail-on', 'warn'), 1);
  assert.is(await code('--fail-on', 'crit'), 0);
  const restart = ['--restart', '10.0.0.1:1', '--fail-on'];
  assert.equal([await code(...restart, 'crit'), await code(...restart, 'never')], [2, 0]);
});

test('-o prom --out is a file for the textfile collector, with the task as a label', () =>
  inFolder(async (path) => {
    const { out, exitCode } = await gate(false, '-o', 'prom', '--out', path('gate.prom'));
    assert.equal([out, exitCode], ['', 1]);
    const text = readFileSync(path('gate.prom'), 'utf8');
    assert.match(text, /^zkops_verdict\{task="gate"\} 1$/m);
    assert.match(text, /^zkops_problem\{task="gate",server="10.0.0.1:3",code="[^"]+",level="w/m);
    if (hasPromtool) assert.is(promtoolComplaints(text), '');
    assert.equal(readdirSync(path('.')), ['gate.prom']);
  }));

test('--out of an interrupted or failed task leaves the old file', () =>
  inFolder(async (path) => {
    writeFileSync(path('out'), 'old');
    const stop = new AbortController();
    const report = (fail: () => void): Report => ({
      columns: [{ title: 'N', key: 'n' }],
      rows: (function* () {
        yield [[1]];
        fail();
        yield [[2]];
      })(),
      finish: () => ({ verdict: concludeFrom([], 'well') }),
    });
    const call = (fail: () => void) => {
      const run = () => Promise.resolve(report(fail));
      const group = [{ name: 'gate', options: {}, changesEnsemble: false, hasMembers: false, run }];
      const args = ['gate', '-o', 'plain', '--out', path('out')];
      return callTask(args, { group, signal: stop.signal });
    };
    const fault = () => {
      throw new Error('broken');
    };
    const thrown = await call(fault).then(String, (error: Error) => error.message);
    assert.is(thrown, 'broken');
    assert.is((await call(() => stop.abort())).exitCode, 130);
    assert.equal([readFileSync(path('out'), 'utf8'), readdirSync(path('.'))], ['old', ['out']]);
    const away = await gate(true, '--out', path('no/such'));
    assert.is(away.exitCode, 3);
    assert.match(away.error, /^zkops: --out .*: cannot write: ENOENT/);
  }));

test('tasks with a verdict take --fail-on and prom, and those with members take a state', async () => {
  const listings: string[] = [];
  for (const { name, load } of TASKS) {
    for (const task of await load()) {
      const verb = task.name === name ? [name] : [name, task.name];
      const { out } = await callTask([...verb, '--help']);
      const has = ['--out', '--fail-on', 'prom', '--state'].map((word) => out.includes(word));
      const judges = task.isListing !== true;
      if (!judges) listings.push(verb.join(' '));
      assert.equal(has, [true, judges, judges, judges && task.hasMembers], verb.join(' '));
    }
  }
  assert.equal(listings, ['exporter', 'console', 'snap top', 'snap dump', 'log dump']);
});

test.run();
