// The commands of src/commands/session and src/commands/shell, and their session.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConnectError } from '../../../../src/client/base/errors.js';
import {
  type SessionEvent,
  ShellSession,
} from '../../../../src/commands/zksh/session/shell-session.js';
import { FakeClient } from '../../../support/peers/fake-client.js';
import { makeShellWorld } from '../../../support/terminal/shell-world.js';
import { waitFor } from '../../../support/wait-for.js';

test('cd goes to existing znodes, back with -, and to the root', async () => {
  const world = makeShellWorld();
  await world.run('create -p /x/y');
  assert.is(
    await world.run('pwd; cd /x/y; pwd; cd ..; pwd; cd -; pwd; cd; pwd'),
    ['/', '/x/y', '/x', '/x/y', '/x/y', '/', ''].join('\n'),
  );
  const { error } = await world.runFully('cd /nope');
  assert.is(error?.exitCode, 4);
  assert.is(await world.run('pwd'), '/\n');
});

test('close ends the session, and connect opens the next one', async () => {
  const world = makeShellWorld();
  await world.run('get /a; close');
  assert.ok(world.client.calls.includes('close'));
  const { error } = await world.runFully('get /a');
  assert.equal([error?.code, error?.exitCode], ['NOTCONNECTED', 3]);
  assert.match(await world.run('connect'), /^Connected to fake:2181, session 0x10000beef0000, /);
  assert.is(await world.run('ls /'), '[zookeeper]\n');
});

test('connect to another server closes the old session and starts at the root', async () => {
  const world = makeShellWorld();
  await world.run('cd /a; connect other:2181/app');
  assert.is(world.client.state, 'closed');
  assert.equal([world.session.target, world.session.cwd], ['other:2181/app', '/']);
  assert.is(world.session.chroot, '/app');
  assert.is(world.opened[1]?.connectString, 'other:2181/app');
});

test('connect --servers gives the session other servers, and keeps it', async () => {
  const world = makeShellWorld({ target: 'fake:2181/app' });
  assert.is(
    await world.run('connect --servers a:1,b:2'),
    'Server list is now a:1,b:2; staying on fake:2181\n',
  );
  assert.is(world.session.target, 'a:1,b:2/app');
  assert.equal(world.opened.length, 1);
  assert.ok(world.client.calls.some((call) => call.startsWith('updateServers')));
  for (const line of ['connect --servers a:b', 'connect c:3 --servers a:1']) {
    assert.is((await world.runFully(line)).error?.exitCode, 64);
  }
});

test('a failed connect keeps the old session', async () => {
  const good = new FakeClient();
  const bad = new FakeClient();
  bad.connectError = new ConnectError('refused');
  const clients = [good, bad];
  const session = new ShellSession({
    target: 'good:1',
    createClient: async () => clients.shift() ?? new FakeClient(),
  });
  await session.connect();
  try {
    await session.connect('bad:1');
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ConnectError);
  }
  assert.is(session.client, good);
  assert.equal([session.target, session.state, bad.state], ['good:1', 'connected', 'closed']);
});

test('an invalid target is refused before a connection', async () => {
  for (const target of ['host:port', 'host:99999', 'host/bad/', 'a b', 'zks://host:x']) {
    const world = makeShellWorld();
    const { error } = await world.runFully(`connect '${target}'`);
    if (target === 'host/bad/') assert.is(error, undefined);
    else assert.is(error?.exitCode, 64, target);
  }
});

test('subscribers get changes of the state, of the path, and of the client', async () => {
  const world = makeShellWorld();
  const heard: string[] = [];
  const unsubscribe = world.session.subscribe((event: SessionEvent) => {
    if (event.kind === 'state') heard.push(event.state);
    if (event.kind === 'path') heard.push(event.cwd);
    if (event.kind === 'client') heard.push(event.client === undefined ? 'none' : 'client');
  });
  await world.run('cd /a');
  world.client.setState('disconnected');
  world.client.setState('connected');
  await world.run('close');
  unsubscribe();
  await world.run('connect');
  assert.equal(heard, ['client', 'connected', '/a', 'disconnected', 'connected', 'none']);
});

test('the timeout and the authentication apply to every client', async () => {
  const world = makeShellWorld({
    timeoutMs: 1234,
    auth: [{ scheme: 'digest', auth: 'ann:secret' }],
  });
  await world.run('get /a');
  assert.equal(world.client.auth, [['digest', 'ann:secret']]);
  const { sessionTimeoutMs, connectTimeoutMs, requestTimeoutMs } = world.opened[0] ?? {};
  assert.equal([sessionTimeoutMs, connectTimeoutMs, requestTimeoutMs], [1234, 1234, 1234]);
});

test('commands during a connect share one attempt', async () => {
  const world = makeShellWorld();
  const texts = await Promise.all([world.run('get /a'), world.run('get /a')]);
  assert.equal(texts, ['hello\n', 'hello\n']);
  assert.is(world.opened.length, 1);
});

test('close during a connect ends it', async () => {
  const world = makeShellWorld();
  let succeed: (() => void) | undefined;
  world.client.connect = () =>
    new Promise((resolve) => {
      succeed = resolve;
    });
  const running = world.runFully('get /a');
  const connected = await waitFor('the attempt', () => succeed);
  const closing = world.session.close();
  connected();
  await closing;
  const { error } = await running;
  assert.is(error?.code, 'NOTCONNECTED');
  assert.is(world.client.state, 'closed');
});

test('help lists every command and explains one', async () => {
  const world = makeShellWorld();
  const all = await world.run('help');
  for (const word of ['ls [-s] [-w] [-R]', 'setAcl', 'quit', 'Znodes']) {
    assert.ok(all.includes(word), word);
  }
  const one = await world.run('help create');
  assert.ok(
    one.startsWith(
      'create [-s] [-e] [-c] [-t TTL] [-p] [-b] [--if-not-exists] path [data] [acl]\n',
    ),
  );
  assert.match(one, /-t, --ttl TTL/);
  assert.match(one, /Examples\n/);
  assert.match(await world.run('help exit'), /Also: exit/);
});

test('version and config', async () => {
  const world = makeShellWorld();
  assert.match(await world.run('version'), /^zksh \d+\.\d+\.\d+\n$/);
  world.client.config = Buffer.from(
    'server.1=zk1:2888:3888:participant;0.0.0.0:2181\nserver.2=[::2]:2888:3888:participant;2182\nversion=100000000',
  );
  assert.match(await world.run('config'), /^server\.1=zk1.*\nserver\.2.*\nversion=100000000\n$/);
  assert.is(await world.run('config -c'), '100000000 zk1:2181,[::2]:2182\n');
});

test.run();
