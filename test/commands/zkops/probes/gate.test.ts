import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { callTask, taskJson } from '../call-task.js';
import { askFakes, ensemble, type FakeMembers, mntr, serversOf, srvr } from './fake-members.js';

function gate(members: FakeMembers, ...args: string[]) {
  const ask = askFakes(members);
  return taskJson(['gate', '--servers', serversOf(members), ...args], { ask });
}

const restart = (port: number) => ['--restart', `10.0.0.1:${port}`];

test('in a complete ensemble, any member may be stopped, observers first and the leader last', async () => {
  const observer = { srvr: srvr('observer'), mntr: mntr({ server_state: 'observer' }) };
  const lagging = { ...ensemble(2), 2: { srvr: srvr('follower', '0x100000007') }, 4: observer };
  const { rows, exitCode } = await gate(lagging, ...restart(2));
  assert.is(exitCode, 0);
  assert.equal(
    rows.map(({ server, may_stop }) => [server, may_stop]),
    [
      ['10.0.0.1:4', 'yes'],
      ['10.0.0.1:2', 'yes'],
      ['10.0.0.1:3', 'yes'],
      ['10.0.0.1:1', 'yes'],
    ],
  );
});

test('with one voter down, no other may be stopped, but that one may', async () => {
  const members: FakeMembers = { ...ensemble(1), 3: 'dead' };
  for (const port of [1, 2]) {
    const { exitCode, verdict } = await gate(members, ...restart(port));
    assert.is(exitCode, 2, String(port));
    assert.is(
      verdict.summary,
      `10.0.0.1:${port} must not be stopped: 1 of 3 voters stay in sync (expected at least 2)`,
    );
  }
  assert.is((await gate(members, ...restart(3))).exitCode, 0);
});

test('a follower that hangs is not in sync, although its leader still counts it', async () => {
  const members: FakeMembers = { ...ensemble(2), 3: 'dead' };
  assert.is((await gate(members, ...restart(2))).exitCode, 2);
});

test('a follower that lags is not in sync', async () => {
  assert.is((await gate(ensemble(1), ...restart(2))).exitCode, 2);
});

test('no member may be stopped with two leaders, without a leader, or beside a standalone server', async () => {
  const [one, two] = [ensemble(2)[1] ?? 'dead', ensemble(2)[2] ?? 'dead'];
  for (const members of [
    { 1: one, 2: two, 3: one },
    { 2: two, 3: 'dead' },
  ] as FakeMembers[]) {
    assert.is((await gate(members, ...restart(2))).exitCode, 2);
  }
  const alone = await gate({ 1: { srvr: srvr('standalone') } }, ...restart(1));
  assert.is(alone.exitCode, 2);
  assert.match(alone.verdict.summary, /it is the only server: none serves while it is down/);
});

test('without --restart, it reports whether the ensemble is healthy', async () => {
  assert.is((await gate(ensemble(2))).exitCode, 0);
  assert.is((await gate({ ...ensemble(1), 3: 'dead' })).exitCode, 1);
});

test('--wait polls until it succeeds twice', async () => {
  let looks = 0;
  const ill = askFakes({ ...ensemble(1), 3: 'dead' });
  const well = askFakes(ensemble(2));
  const ask: typeof ill = (address, word, options) => {
    if (address.port === 1 && word === 'srvr') looks++;
    return (looks < 2 ? ill : well)(address, word, options);
  };
  const servers = ['--servers', serversOf(ensemble(2))];
  const { exitCode } = await taskJson(['gate', ...servers, '--wait', '60000'], { ask });
  assert.is(exitCode, 0);
  assert.ok(looks >= 3, `looked ${looks} times`);
  const inVain = await taskJson(['gate', ...servers, '--wait', '1'], { ask: ill });
  assert.is(inVain.exitCode, 1);
});

test('the output names the member as in the list', async () => {
  const members = ensemble(2);
  const servers = ['--servers', serversOf(members)];
  for (const [name, words] of [
    ['10.0.0.9:1', /not in the list of members: 10\.0\.0\.1:1, /],
    ['10.0.0.1', /more than one member/],
  ] as const) {
    const wrong = await callTask(['gate', ...servers, '--restart', name], {
      ask: askFakes(members),
    });
    assert.is(wrong.exitCode, 64);
    assert.match(wrong.error, words);
  }
});

test('ready checks one server, only with srvr', async () => {
  const ready = (answer: string, ...args: string[]) =>
    taskJson(['ready', '--servers', '10.0.0.1:1', ...args], {
      ask: askFakes({ 1: { srvr: answer } }),
    });
  for (const mode of ['leader', 'follower', 'observer', 'standalone']) {
    assert.is((await ready(srvr(mode))).exitCode, 0, mode);
  }
  assert.is((await ready(srvr('read-only'))).exitCode, 2);
  assert.is((await ready(srvr('read-only'), '--read-only')).exitCode, 0);
  const idle = await ready('This ZooKeeper instance is not currently serving requests\n');
  assert.is(idle.exitCode, 2);
  assert.match(idle.verdict.problems[0]?.text ?? '', /it runs but serves no requests/);
  const loading = await ready(
    'This ZooKeeper instance is not currently serving requests\nLoading: 7 %\n',
  );
  assert.is(loading.exitCode, 2);
  assert.match(loading.verdict.problems[0]?.text ?? '', /requests: it has loaded 7 % of its data/);
  const two = await callTask(['ready', '--servers', 'a:1,a:2'], { ask: askFakes({}) });
  assert.is(two.exitCode, 64);
});

test('ready --wait polls until the server serves', async () => {
  const servers = ['--servers', '10.0.0.1:1'];
  const dead = askFakes({ 1: 'dead' });
  const serving = askFakes({ 1: { srvr: srvr('follower') } });
  let looks = 0;
  const ask: typeof dead = (...args) => (++looks < 2 ? dead : serving)(...args);
  const { exitCode } = await taskJson(['ready', ...servers, '--wait', '60000'], { ask });
  assert.equal([exitCode, looks], [0, 2]);
  const inVain = await taskJson(['ready', ...servers, '--wait', '1'], { ask: dead });
  assert.is(inVain.exitCode, 2);
});

test.run();
