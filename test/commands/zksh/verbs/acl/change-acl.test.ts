// conformance: runs against Apache's server, too.
// `acl`: the table, and entries added and removed beside changes of others.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { serverTest } from '../../../../support/terminal/shell-suite.js';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';

serverTest('acl show prints the permissions as words', async (shell) => {
  await shell.run('create -p /t/a/b; create /t/c; setAcl /t/a world:anyone:ra,ip:127.0.0.1:cdrwa');
  assert.is(
    await shell.run('acl show /t/a', 'raw'),
    '/t/a\tworld\tanyone\tra\tread admin\n/t/a\tip\t127.0.0.1\tcdrwa\tall\n',
  );
  assert.equal(JSON.parse(await shell.run('acl show /t', 'json')), [
    { path: '/t', scheme: 'world', id: 'anyone', perms: 'cdrwa', may: 'all' },
  ]);
  // Only if it differs from the parent's.
  const paths = (await shell.run('acl show -R /t', 'raw'))
    .split('\n')
    .map((row) => row.split('\t')[0]);
  assert.equal(paths, ['/t', '/t/a', '/t/a', '/t/a/b', '']);
  assert.is((await shell.run('acl show /t/*', 'raw')).split('\n').length, 4);
});

serverTest('acl add and remove change one entry', async (shell) => {
  await shell.run('create /t; create /t/a');
  await shell.run('acl add /t ip:10.0.0.1:r; acl add /t ip:10.0.0.1:rw');
  assert.is(await shell.run('getAcl /t', 'raw'), 'world:anyone:cdrwa,ip:10.0.0.1:rw\n');
  await shell.run('acl add /t digest:ann:Zm9vYmFyYmF6cXV4Zm9vYmFyYmE=:r');
  await shell.run('acl remove /t digest:ann,ip:10.0.0.1');
  assert.is(await shell.run('getAcl /t', 'raw'), 'world:anyone:cdrwa\n');
  for (const [line, code, exitCode] of [
    ['acl remove /t ip:10.0.0.1', 'NOENTRY', 4],
    ['acl remove /t world:anyone', 'INVALIDACL', 1],
    ['acl add /t world:anyone:r', 'LOCKOUT', 1],
    ['acl add /t world:anyone', 'USAGE', 64],
    ['acl add /t world:anyone:q', 'USAGE', 64],
    ['acl remove /t anyone', 'USAGE', 64],
    ['acl add /t', 'USAGE', 64],
    ['acl show /t world:anyone:r', 'USAGE', 64],
    ['acl add /none ip:10.0.0.1:r', 'NONODE', 4],
    ['acl add /t* ip:10.0.0.1:r', 'UNCONFIRMED', 64],
  ] as const) {
    const { error } = await shell.fully(line);
    assert.equal([error?.code, error?.exitCode], [code, exitCode], line);
  }
  assert.is(
    await shell.run('acl add -n -R /t ip:10.0.0.1:r'),
    '/t  world:anyone:cdrwa -> world:anyone:cdrwa,ip:10.0.0.1:r\n' +
      '/t/a  world:anyone:cdrwa -> world:anyone:cdrwa,ip:10.0.0.1:r\n2 ACLs would be set\n',
  );
  await shell.run(
    'acl add -R /t ip:10.0.0.1:r; acl remove -R /t ip:10.0.0.1; acl add -y /t/* ip:10.0.0.2:r',
  );
  assert.is(await shell.run('getAcl /t/a', 'raw'), 'world:anyone:cdrwa,ip:10.0.0.2:r\n');
  await shell.run('acl add --force /t world:anyone:r');
  assert.is((await shell.fully('acl add /t world:anyone:cdrwa')).error?.exitCode, 8);
});

test('an entry that another session adds at the same time stays', async () => {
  const world = makeShellWorld();
  await world.run('create /a/b');
  const { setACL } = world.client;
  for (const [line, path] of [
    ['acl add /a ip:10.0.0.1:r', '/a'],
    ['acl add -R /a ip:10.0.0.1:r', '/a/b'],
  ] as const) {
    let races = 0;
    world.client.setACL = async (at, acl, version) => {
      if (at === path && races++ === 0) {
        const { acl: present } = await world.client.getACL(at);
        const id = { scheme: 'ip', id: '10.9.9.9' };
        await setACL.call(world.client, at, [...present, { perms: 1, id }]);
      }
      return setACL.call(world.client, at, acl, version);
    };
    await world.run(line);
    const shown = await world.run(`getAcl ${path}`);
    assert.match(shown, /10\.9\.9\.9[\s\S]*10\.0\.0\.1/, line);
  }
});

test('a recursive change skips and names a znode where it would lock this session out', async () => {
  const world = makeShellWorld();
  await world.run('create /a/b; create /a/c; setAcl /a/b world:anyone:cdrwa');
  await world.run('setAcl /a/b ip:10.0.0.1:cdrwa,world:anyone:cdrwa');
  await world.run('acl add /a ip:127.0.0.1:cdrwa; acl add /a/c ip:127.0.0.1:cdrwa');
  const { error } = await world.runFully('acl remove -R /a world:anyone');
  assert.is(error?.exitCode, 9);
  assert.match(error?.sentence ?? '', /znodes: \/a\/b \(with ip:10\.0\.0\.1/);
  assert.is(await world.run('getAcl /a/c'), "'ip,'127.0.0.1\n: cdrwa\n");
});

test.run();
