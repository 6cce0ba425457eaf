import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeShape } from '../../../src/commands/selection/shape-json.js';
import { startServer } from '../../../src/server/main.js';
import { runZkops } from '../../support/terminal/run-zkops.js';
import { runZksh } from '../../support/terminal/run-zksh.js';

const ZKOPS = fileURLToPath(new URL('../../../bin/zkops.cjs', import.meta.url));
const run = promisify(execFile);

test('a template prints one line for each row, with paths in its braces', () => {
  const shape = makeShape({ template: '{path}\\t{stat.version} {{{.n[0]}}}' }, 0);
  const text = '{"path":"/a","stat":{"version":3},"n":[1]}\n{"path":"/b","n":[true]}\n';
  assert.is(shape(text), '/a\t3 {1}\n/b\t {true}\n');
});

test('rows of an array have lines, a row without any field has none', () => {
  const shape = makeShape({ select: '.rows', template: '{name}' }, 2);
  assert.is(shape('{"rows":[{"name":"a"},{"other":1},{"name":"b"}]}'), 'a\nb\n');
  assert.is(makeShape({ select: '.x[]', template: '{.}' }, 2)('{"x":["a","b"]}'), 'a\nb\n');
});

test('control characters of a value forge no line', () => {
  const shape = makeShape({ template: '{v}' }, 0);
  assert.is(shape(`${JSON.stringify({ v: 'a\nb\u001b[2J' })}\n`).split('\n').length, 2);
});

test('an invalid template or expression names its option', () => {
  const message = (make: () => unknown) => {
    try {
      make();
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
    return 'no error';
  };
  assert.match(
    message(() => makeShape({ template: 'a {b' }, 0)),
    /^--template: invalid: "a \{b", at character 3: .* \(expected \} after the name\)$/,
  );
  assert.match(
    message(() => makeShape({ template: '{a b}' }, 0)),
    /^--template: .*\(expected a path such as \{stat.version\}\)$/,
  );
  assert.match(
    message(() => makeShape({ select: '.a[' }, 0)),
    /^--select: invalid/,
  );
});

test('zksh and zkops shape their JSON alike, and refuse other formats', async () => {
  const server = await startServer();
  try {
    const { connectString } = server;
    const get = await runZksh([connectString, '--select', '.children[0]', 'ls', '/']);
    assert.equal([get.code, get.stdout], [0, '"zookeeper"\n']);
    const line = await runZksh([connectString, '--template', '{path}: {children}', 'ls', '/']);
    assert.equal([line.code, line.stdout], [0, '/: ["zookeeper"]\n']);
    const ops = ['srvr', '--servers', connectString];
    const select = await runZkops([...ops, '--select', '.members[] | .state']);
    assert.equal([select.exitCode, select.out], [0, '"serving"\n']);
    const rows = await runZkops([...ops, '--template', '{server} {state}']);
    assert.equal([rows.exitCode, rows.out], [0, `${connectString} serving\n`]);
    const task = await run(process.execPath, [
      ZKOPS,
      ...['smoke', '--servers', connectString, '--select', '.verdict.level'],
    ]);
    assert.is(task.stdout, '"healthy"\n');
    const bad = await runZkops([...ops, '--select', 'members']);
    assert.equal([bad.exitCode, bad.out], [64, '']);
    assert.match(bad.error, /^zkops: --select: invalid: "members", at character 1/);
    assert.is((await runZkops([...ops, '-o', 'csv', '--select', '.'])).exitCode, 64);
    const wrong = await runZksh([connectString, '--select', '.a[', 'ls', '/']);
    assert.equal([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /^zksh: --select: invalid: "\.a\["/);
    assert.is((await runZksh(['-o', 'table', '--template', '{a}', '-c', 'pwd'])).code, 2);
  } finally {
    await server.close();
  }
});

test.run();
