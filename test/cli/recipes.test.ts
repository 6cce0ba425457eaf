import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { waitFor } from '../support/wait-for.js';
import { HOLD, inWorld, says } from './recipe-world.js';

test('elect: the next one leads when the first has ended, and listeners are notified', () =>
  inWorld(async ({ start, run, observer, children }) => {
    const listener = start('elect /leader --listen');
    const first = start(`elect /leader --id one -- ${HOLD}`);
    await says(first, 'holding');
    await says(listener, 'one\n');
    assert.is((await observer.getData('/leader/acknowledged')).data?.toString(), 'one');
    const second = start(`elect /leader --id two -- ${HOLD}`);
    await children('/leader', 3);
    assert.is((await first.end()).code, 0);
    await says(second, 'holding');
    await says(listener, 'two\n');
    assert.is((await second.end()).code, 0);
    await children('/leader', 0);
    listener.child.kill('SIGTERM');
    assert.is((await listener.end()).code, 130);
    assert.is((await run(`elect /leader -- sh -c 'exit 5'`)).code, 5);
  }));

test('semaphore: N holders at once', () =>
  inWorld(async ({ start, run }) => {
    const line = `semaphore /jobs --permits 2 -- ${HOLD}`;
    const holders = [start(line), start(line)];
    await Promise.all(holders.map((each) => says(each, 'holding')));
    assert.is((await run('semaphore /jobs --permits 2 --wait 100 -- true')).code, 3);
    await holders[0]?.end();
    assert.is((await run(`semaphore /jobs --permits 2 -- sh -c 'exit 9'`)).code, 9);
    await holders[1]?.end();
  }));

test('semaphore: the number of permits may be in a znode', () =>
  inWorld(async ({ start, run, observer }) => {
    const line = `semaphore /jobs --permits-path /max --permits 1 -- ${HOLD}`;
    const holder = start(line);
    await says(holder, 'holding');
    assert.is((await observer.getData('/max')).data?.toString('hex'), '00000001');
    const second = (waitMs: number) =>
      `semaphore /jobs --permits-path /max --wait ${waitMs} -- true`;
    assert.is((await run(second(100))).code, 3);
    assert.is((await run(`set --base64 /max AAAAAg==; ${second(30_000)}`)).code, 0);
    await holder.end();
    assert.match((await run('semaphore /jobs --permits-path /none -- true')).stderr, /not exist/);
  }));

test('barrier: holds until it is removed', () =>
  inWorld(async ({ start, run, observer }) => {
    assert.is((await run('barrier raise /b; barrier raise /b')).code, 0);
    assert.is((await run('barrier wait /b --wait 50')).code, 3);
    const waiting = start('barrier wait /b; create /passed');
    assert.is(await observer.exists('/passed'), null);
    assert.is((await run('barrier remove /b; barrier remove /b')).code, 0);
    assert.is((await waiting.end()).code, 0);
  }));

test('double-barrier: begin together, end together', () =>
  inWorld(async ({ start, children, observer }) => {
    const first = start(`double-barrier /d --count 2 -- sh -c 'echo begun; exit 4'`);
    await children('/d', 1);
    assert.is(first.stdout(), '');
    const second = start(`double-barrier /d --count 2 -- ${HOLD}`);
    await says(first, 'begun');
    await says(second, 'holding');
    assert.is(first.child.exitCode, null);
    assert.equal([(await second.end()).code, (await first.end()).code], [0, 4]);
    assert.equal((await observer.getChildren('/d')).children, []);
  }));

test('queue: items are taken by priority, and take waits for one', () =>
  inWorld(async ({ start, run, children }) => {
    assert.is(
      (await run(`queue put /q -p 5 late; queue put /q 'first one'; queue put /q -`)).code,
      0,
    );
    assert.is((await run('queue peek /q')).stdout, 'first one\n');
    assert.is((await run('queue ls /q', '-o', 'raw')).stdout.trimEnd().split('\n').length, 3);
    assert.is(
      (await run('queue take /q; queue take /q; queue take /q')).stdout,
      'first one\n\nlate\n',
    );
    assert.is((await run('queue peek /q')).code, 4);
    assert.is((await run('queue take /q --wait 50')).code, 3);
    const taker = start('queue take /q');
    await children('/q', 1);
    await run('queue put /q x');
    assert.is((await taker.end()).stdout, 'x\n');
    assert.is((await run('queue take /q x')).code, 64);
  }));

test('group: the members, with a follow mode', () =>
  inWorld(async ({ start, run, observer, children }) => {
    const member = start(`group join /web --id a -d host:1 -- ${HOLD}`);
    await says(member, 'holding');
    assert.is((await observer.getData('/web/a')).data?.toString(), 'host:1');
    const follower = start('group ls /web --follow');
    await says(follower, '[a]\n');
    const other = start('group join /web --id b');
    await says(follower, '[a, b]\n');
    const taken = await run('group join /web --id a -- true');
    assert.is(taken.code, 1);
    assert.match(taken.stderr, /a member with this id already exists/);
    other.child.kill('SIGTERM');
    assert.is((await other.end()).code, 130);
    assert.is((await run('group ls /web')).stdout, '[a]\n');
    await member.end();
    await children('/web', 0);
  }));

test('2pc: all commit, or none does', () =>
  inWorld(async ({ start, run, observer }) => {
    for (const ephemeral of ['', ' --ephemeral']) {
      const coordinator = start(`2pc run /tx a b${ephemeral}`);
      await waitFor('the transaction', () => observer.exists('/tx'));
      const site = start('2pc vote /tx a commit');
      assert.is((await run('2pc ls /tx')).stdout.split('\n')[0], 'decision  pending');
      const last = await run('2pc vote /tx b commit');
      assert.equal([last.code, last.stdout], [0, 'commit\n']);
      assert.is((await site.end()).stdout, 'commit\n');
      assert.is((await coordinator.end()).code, 0);
      assert.is(await observer.exists('/tx'), null);
    }
    const dying = start('2pc run /tx a b --payload "add a column"');
    await waitFor('the sites', () => observer.exists('/tx/site-b'));
    dying.child.kill('SIGKILL');
    await dying.end();
    assert.is((await run('2pc ls /tx')).stdout.split('\n')[1], 'payload  add a column');
    const site = start('2pc vote /tx a commit --decide');
    assert.is((await run('2pc vote /tx b commit --decide')).stdout, 'commit\n');
    assert.is((await site.end()).stdout, 'commit\n');
    await observer.delete('/tx');
    const coordinator = start('2pc run /tx a');
    await waitFor('the site', () => observer.exists('/tx/site-a'));
    assert.is((await run('2pc vote /tx a abort')).code, 1);
    const { code, stdout } = await coordinator.end();
    assert.equal([code, stdout], [1, 'abort\n']);
    assert.is((await run('2pc vote /tx a perhaps')).code, 64);
  }));

test.run();
