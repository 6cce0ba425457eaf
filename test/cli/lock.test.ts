import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runZksh } from '../support/terminal/run-zksh.js';
import { waitFor } from '../support/wait-for.js';
import { HOLD, inWorld, says } from './recipe-world.js';

/** Ignores SIGTERM. */
const DEAF = `sh -c 'trap "" TERM; echo holding; while :; do sleep 0.1; done'`;

test('lock: the exit status is that of the command, and a failure ends a script', () =>
  inWorld(async ({ run, observer }) => {
    const { code, stdout } = await run(
      `create /before; lock /lock -- sh -c 'echo "$ZKSH_PATH"; exit 7'; create /after`,
    );
    assert.equal([code, stdout], [7, 'Created /before\n/lock\n']);
    assert.is(await observer.exists('/after'), null);
    assert.is((await run('lock /lock -- true; create /after')).code, 0);
    const missing = await run('lock /lock -- /nothing/here');
    assert.is(missing.code, 127);
    assert.match(missing.stderr, /\/nothing\/here: cannot run program/);
    assert.is((await run(`lock /lock -- sh -c 'kill -9 $$'`)).code, 137);
    assert.equal((await observer.getChildren('/lock')).children, []);
    const json = await run('lock /lock -- false', '-o', 'ndjson');
    assert.equal([json.code, JSON.parse(json.stdout)], [1, { ran: ['false'], exitCode: 1 }]);
  }));

test('lock: wrong usage is refused before anything is sent', async () => {
  for (const line of ['lock', 'lock /a', 'lock --ls /a -- true', 'lock /a --exclusive -- x']) {
    assert.is((await runZksh(['127.0.0.1:1', '-c', line])).code, 64, line);
  }
});

test('lock: holders take turns, with increasing tokens', () =>
  inWorld(async ({ start, run, children }) => {
    const first = start(`lock /lock -- sh -c 'echo $ZKSH_FENCING_TOKEN; cat'`);
    await says(first, '\n');
    const second = start(`lock /lock -- sh -c 'echo $ZKSH_FENCING_TOKEN'`);
    await children('/lock', 2);
    const late = await run('lock /lock --wait 100 -- true');
    assert.is(late.code, 3);
    assert.match(late.stderr, /not first in line within 100 ms/);
    await children('/lock', 2);
    assert.is(second.stdout(), '');
    const tokens = [(await first.end()).stdout, (await second.end()).stdout].map(Number);
    assert.ok((tokens[1] ?? 0) > (tokens[0] ?? 0), tokens.join());
    await children('/lock', 0);
  }));

test('lock: shared by some, exclusive for others', () =>
  inWorld(async ({ start, children }) => {
    const readers = [start(`lock /l --shared -- ${HOLD}`), start(`lock /l --shared -- ${HOLD}`)];
    await Promise.all(readers.map((each) => says(each, 'holding')));
    const writer = start(`lock /l -- ${HOLD}`);
    await children('/l', 3);
    await readers[0]?.end();
    await children('/l', 2);
    assert.is(writer.stdout(), '');
    await readers[1]?.end();
    await says(writer, 'holding');
    assert.is((await writer.end()).code, 0);
  }));

test('lock: a command that loses it gets a signal, and one that ignores it is killed', () =>
  inWorld(async ({ start, children, observer }) => {
    for (const command of [HOLD, DEAF]) {
      const zksh = start(`lock /lock -- ${command}`, '--timeout', '4000');
      await says(zksh, 'holding');
      const [name] = await children('/lock', 1);
      await observer.delete(`/lock/${name}`);
      const [code] = await waitFor('zksh to end', () =>
        zksh.child.exitCode === null ? undefined : [zksh.child.exitCode],
      );
      assert.is(code, 3);
      assert.match(zksh.stderr(), /its znode was deleted/);
    }
  }));

test('lock: a second zksh takes over from one that was killed', () =>
  inWorld(async ({ start, children }) => {
    const first = start(`lock /lock -- ${HOLD}`, '--timeout', '1000');
    await says(first, 'holding');
    const second = start(`lock /lock -- ${HOLD}`);
    await children('/lock', 2);
    first.child.kill('SIGKILL');
    first.child.stdin?.end();
    await says(second, 'holding');
    assert.is((await second.end()).code, 0);
  }));

test('lock: an interrupted zksh ends its command, and releases the lock or its place', () =>
  inWorld(async ({ start, children }) => {
    const [first, second] = [start(`lock /lock -- ${HOLD}`), start(`lock /lock -- ${HOLD}`)];
    await children('/lock', 2);
    await waitFor('one to hold', () => `${first.stdout()}${second.stdout()}`.includes('holding'));
    const [holder, waiter] = first.stdout() === '' ? [second, first] : [first, second];
    waiter.child.kill('SIGTERM');
    assert.is((await waiter.end()).code, 130);
    await children('/lock', 1);
    holder.child.kill('SIGTERM');
    await waitFor('the holder to end', () => holder.child.exitCode === 130);
    await children('/lock', 0);
    assert.match(holder.stderr(), /^interrupted/);
  }));

test('lock --ls: the holder and the waiters, with their addresses', () =>
  inWorld(async ({ start, run, children }) => {
    const holder = start(`lock /lock -- ${HOLD}`);
    await says(holder, 'holding');
    const waiter = start(`lock /lock -- ${HOLD}`);
    await children('/lock', 2);
    const { stdout } = await run('lock --ls /lock');
    const lines = stdout.trimEnd().split('\n');
    assert.is(lines.length, 2);
    assert.match(
      lines[0] ?? '',
      /^holds {2}alone {3}127\.0\.0\.1:\d+ {2}session 0x[0-9a-f]+ {2}_c_/,
    );
    assert.match(lines[1] ?? '', /^waits {2}alone {3}127\.0\.0\.1:\d+ /);
    const json = JSON.parse((await run('lock --ls /lock', '-o', 'json')).stdout);
    assert.equal(
      json.places.map(({ state }: { state: string }) => state),
      ['holds', 'waits'],
    );
    await holder.end();
    await waiter.end();
    assert.match((await run('lock --ls /lock')).stdout, /no holder/);
  }));

test('lock --ls: explains why addresses are unknown', () =>
  inWorld(
    async ({ start, run }) => {
      const holder = start(`lock /lock -- ${HOLD}`);
      await says(holder, 'holding');
      const { stdout } = await run('lock --ls /lock');
      assert.match(stdout, /^holds {2}alone {3}\? {2}session/);
      assert.match(stdout, /word cons is not allowed; add it to 4lw\.commands\.whitelist/);
      await holder.end();
    },
    { '4lw.commands.whitelist': 'srvr' },
  ));

test.run();
