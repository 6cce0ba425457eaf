// conformance: runs against Apache's server, too.
// One value within JSON data, with the bundled server, an ensemble of it, and Apache's.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { serverTest } from '../../../../support/terminal/shell-suite.js';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';

const TEXT = '{\n  "db": {"host": "a b", "pool": 5.0},\n  "tags": [ "x" ]\n}\n';

serverTest('json get prints a value, with exit codes for missing ones', async (shell) => {
  await shell.run(`create /j '${TEXT}'; create /text hello; create /null`);
  assert.is(await shell.run('json get /j /db/host'), 'a b\n');
  assert.is(await shell.run('json get /j db.pool'), '5.0\n');
  assert.is(await shell.run('json get /j tags'), '[ "x" ]\n');
  assert.is(await shell.run('json get /j'), TEXT);
  assert.is(
    await shell.run('json get /j /tags/0', 'ndjson'),
    '{"path":"/j","pointer":"/tags/0","value":"x"}\n',
  );
  for (const [line, code, exitCode] of [
    ['json get /j /db/none', 'NOVALUE', 4],
    ['json get /none /a', 'NONODE', 4],
    ['json get /text /a', 'NOTJSON', 1],
    ['json get /null', 'NOTJSON', 1],
    ['json get /j a..b', 'USAGE', 64],
    ['json get /j /db 5', 'USAGE', 64],
    ['json set /j /db', 'USAGE', 64],
    ['json set /j /db bare', 'USAGE', 64],
  ] as const) {
    const { error } = await shell.fully(line);
    assert.equal([error?.code, error?.exitCode], [code, exitCode], line);
  }
});

serverTest('json set changes one value, and no other byte', async (shell) => {
  await shell.run(`create /j '${TEXT}'; create /null`);
  await shell.run('json set /j /db/pool 20; json set -s /j /db/host new');
  await shell.run(`json set /j /tags/- '{"y": 1}'; json set -p /j x.y true`);
  assert.is(
    await shell.run('get --raw /j'),
    '{\n  "db": {"host": "new", "pool": 20},\n  "tags": [ "x", {"y": 1} ],\n  "x": {"y":true}\n}\n',
  );
  assert.is(await shell.run('json set /j /db/pool 20'), 'No changes\n');
  assert.is((await shell.fully('json set /j /no/way 1')).error?.code, 'NOVALUE');
  assert.is((await shell.fully('json set -v 0 /j /a 1')).error?.exitCode, 7);
  assert.is((await shell.fully('json set /made /a 1')).error?.exitCode, 4);
  await shell.run('json set --create /made /a 1; json set --create /null b 2');
  assert.is(await shell.run('get --raw /{made,null}'), '{"a":1}{"b":2}');
  assert.is(
    await shell.run('json get /{made,null} ""'),
    '==> /made <==\n{"a":1}\n\n==> /null <==\n{"b":2}\n',
  );
  assert.match(await shell.run('json set -n /made /a 2'), /^would set \/made \(7 bytes\)\n$/);
  assert.is((await shell.fully('json set /m* /a 2')).error?.code, 'UNCONFIRMED');
  assert.is(await shell.run('json set -y /m* /a 2; json get /made a'), 'Changed 1 znode\n2\n');
});

test('json get prints a document of 200,000 lines', async () => {
  const world = makeShellWorld();
  const document = `[\n  ${'0,\n  '.repeat(200_000)}0\n]`;
  await world.client.setData('/a', Buffer.from(document));
  assert.ok((await world.run('json get /a')).trimEnd() === document);
});

test('a concurrent change by another session is kept', async () => {
  const world = makeShellWorld();
  await world.run(`set /a '{"mine":1,"theirs":1}'`);
  const { setData } = world.client;
  let races = 0;
  world.client.setData = async (path, data, version) => {
    if (races++ === 0) await setData.call(world.client, path, Buffer.from('{"mine":1,"theirs":2}'));
    return setData.call(world.client, path, data, version);
  };
  assert.is(
    await world.run('json set /a /mine 7; get /a'),
    'Changed /a to version 3\n{"mine":7,"theirs":2}\n',
  );
  assert.is(races, 2);
});

test('a change that loses every race exits with 7', async () => {
  const world = makeShellWorld();
  await world.run("set /a '{}'");
  world.client.failures.set('setData /a', 'BADVERSION');
  assert.is((await world.runFully('json set /a /b 1')).error?.exitCode, 7);
  assert.is(world.client.calls.filter((call) => call === 'setData').length, 11);
});

test('a value from a file or standard input is JSON, too', async () => {
  const world = makeShellWorld({ input: Buffer.from(' {"k": [1]}\n') });
  await world.run("set /a '{}'");
  assert.is(
    await world.run('json set /a /v -; get /a'),
    'Changed /a to version 2\n{"v":{"k": [1]}}\n',
  );
});

test.run();
