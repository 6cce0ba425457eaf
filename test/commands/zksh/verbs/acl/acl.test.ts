// Every verb of src/commands/acl over a client in memory.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';

test('getAcl shows an entry in two lines, and with -s the Stat after them', async () => {
  const world = makeShellWorld();
  assert.is(await world.run('getAcl /a'), "'world,'anyone\n: cdrwa\n");
  assert.match(await world.run('getAcl -s /a'), /^'world,'anyone\n: cdrwa\ncZxid = 0x1\n/);
  const json = makeShellWorld({ format: 'ndjson' });
  assert.equal(JSON.parse(await json.run('getAcl /a')), {
    path: '/a',
    acl: [{ scheme: 'world', id: 'anyone', perms: 'cdrwa' }],
  });
});

test('getAcl -o raw prints the format of setAcl', async () => {
  const world = makeShellWorld({ format: 'raw' });
  await world.run('setAcl /a world:anyone:ra,ip:10.0.0.1:r');
  assert.is(await world.run('getAcl /a'), 'world:anyone:ra,ip:10.0.0.1:r\n');
});

test('setAcl sets, -v checks the version, -s shows the Stat', async () => {
  const world = makeShellWorld();
  assert.is(await world.run('setAcl /a world:anyone:ra'), 'Changed the ACL of /a to version 1\n');
  assert.is(await world.run('getAcl /a'), "'world,'anyone\n: ra\n");
  assert.match(await world.run('setAcl -s -v 1 /a world:anyone:rwa'), /\naclVersion = 2\n/);
  assert.is((await world.runFully('setAcl -v 1 /a world:anyone:ra')).error?.exitCode, 7);
});

test('setAcl -R sets all descendants, and the top last', async () => {
  const world = makeShellWorld();
  await world.run('create -p /t/b/c');
  assert.is(
    await world.run('setAcl -R /t world:anyone:ra'),
    'Changed the ACL of /t to version 1\n',
  );
  for (const path of ['/t', '/t/b', '/t/b/c']) {
    assert.is(await world.run(`getAcl ${path}`), "'world,'anyone\n: ra\n");
  }
});

test('setAcl -R names the znodes that it could not change and exits with 9', async () => {
  const world = makeShellWorld();
  await world.run('create -p /t/b; create /t/c; setAcl --force /t/c world:anyone:r');
  const { text, error } = await world.runFully('setAcl -R /t world:anyone:rac');
  assert.is(error?.exitCode, 9);
  assert.is(text, 'set the ACL of only 2 of 3 znodes: /t/c (NOAUTH)\n');
});

test('addauth sends its arguments and prints nothing', async () => {
  const world = makeShellWorld();
  assert.is(await world.run('addauth digest ann:secret'), '');
  assert.equal(world.client.auth, [['digest', 'ann:secret']]);
});

test('addauth prompts for a missing password on a terminal', async () => {
  const asked = makeShellWorld({ secret: 'se:cret' });
  assert.is(await asked.run('addauth digest ann'), '');
  assert.equal(asked.client.auth, [['digest', 'ann:se:cret']]);
  assert.equal(asked.questions, ['Password of ann: ']);
  const script = makeShellWorld();
  const refused = await script.runFully('addauth digest ann');
  assert.is(refused.error?.exitCode, 64);
  assert.match(refused.text, 'addauth: no terminal for the password prompt of ann');
  assert.equal(script.client.auth, []);
  for (const line of ['addauth digest ann:', 'addauth x509', 'addauth sasl ann']) {
    const world = makeShellWorld({ secret: 'never' });
    await world.run(line);
    assert.equal(world.questions, [], line);
  }
});

test('an error of addauth never repeats the line', async () => {
  const world = makeShellWorld();
  assert.is(
    await world.run('addauth digest ann:secret more'),
    'addauth: unexpected argument\n  usage: addauth scheme [auth]\n',
  );
});

test('whoami lists schemes and users', async () => {
  assert.is(await makeShellWorld().run('whoami'), 'Auth scheme: User\nip: 127.0.0.1\n');
  assert.equal(JSON.parse(await makeShellWorld({ format: 'json' }).run('whoami')), {
    identities: [{ scheme: 'ip', user: '127.0.0.1' }],
  });
});

test('an ACL that locks this session out requires --force', async () => {
  const world = makeShellWorld();
  for (const acl of ['world:anyone:r', 'ip:10.0.0.1:cdrwa', 'digest:ann:x:cdrwa', 'auth::cdrwa']) {
    const { error } = await world.runFully(`setAcl /a ${acl}`);
    assert.is(error?.code, 'LOCKOUT', acl);
  }
  assert.is(await world.run('getAcl /a'), "'world,'anyone\n: cdrwa\n");
  await world.run('setAcl /a ip:127.0.0.0/8:cdrwa,world:anyone:a');
  await world.run('setAcl /a ip:127.0.0.0/8:cdrwa,world:anyone:r');
  assert.is((await world.runFully('setAcl --force /a world:anyone:r')).error?.exitCode, 8);
});

test('setAcl --add and --remove change entries, guarded by the version', async () => {
  const world = makeShellWorld();
  await world.run('setAcl --add /a ip:10.0.0.1:r');
  await world.run('setAcl --add /a ip:10.0.0.1:rw');
  assert.is(await world.run('getAcl /a'), "'world,'anyone\n: cdrwa\n'ip,'10.0.0.1\n: rw\n");
  assert.is(
    await world.run('setAcl -n --remove /a ip:10.0.0.1:r'),
    '/a  world:anyone:cdrwa,ip:10.0.0.1:rw -> world:anyone:cdrwa\n1 ACL would be set\n',
  );
  await world.run('setAcl --remove /a ip:10.0.0.1:r');
  assert.is(await world.run('getAcl /a'), "'world,'anyone\n: cdrwa\n");
  const { error } = await world.runFully('setAcl --remove /a world:anyone:r');
  assert.is(error?.code, 'INVALIDACL');
});

test("digest makes the same id as Apache's server", async () => {
  const world = makeShellWorld();
  assert.is(await world.run('digest ann:secret'), 'ann:7RJfAeIvrl4zdj6sS2fXrQHDvHM=\n');
  assert.is((await world.runFully('digest ann')).error?.exitCode, 64);
});

test.run();
