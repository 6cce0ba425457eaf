// edit with a script as editor: saved text is set, and a concurrent change is not lost.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../src/server/main.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { runZksh } from '../support/terminal/run-zksh.js';

const ZKSH = fileURLToPath(new URL('../../bin/zksh.cjs', import.meta.url));

interface World {
  readonly target: string;
  /** Edits /a with an editor that runs these lines of sh on "$1". */
  edit(...script: string[]): ReturnType<typeof runZksh>;
  /** A concurrent change by another client, as a line of sh. */
  other(commands: string): string;
  get(): Promise<string>;
}

async function withWorld(run: (world: World) => Promise<void>): Promise<void> {
  const server = await startServer();
  const home = makeTempDir();
  const target = server.connectString;
  try {
    await runZksh([target, '-c', "create /a 'one\ntwo\nthree'"]);
    await run({
      target,
      edit: (...script) => {
        const editor = join(home.path, 'editor');
        writeFileSync(editor, script.join('\n'));
        return runZksh([target, '-c', 'edit /a'], '', { VISUAL: '', EDITOR: `sh ${editor}` });
      },
      other: (commands) => `'${process.execPath}' '${ZKSH}' ${target} -c '${commands}' < /dev/null`,
      get: async () => (await runZksh([target, '-o', 'raw', '-c', 'get /a'])).stdout,
    });
  } finally {
    await server.close();
    home.remove();
  }
}

test('saved text is set, without the newline of the editor', () =>
  withWorld(async ({ edit, get }) => {
    const run = await edit(
      'test "$(stat -c %a "$1")" = 600 || exit 1',
      'printf "new\\ntext\\n" > "$1"',
    );
    assert.equal([run.code, run.stderr], [0, '']);
    assert.is(await get(), 'new\ntext');
    assert.is((await edit('exit 0')).stdout, 'No changes\n');
    const failed = await edit('echo lost > "$1"; exit 1');
    assert.equal([failed.code, /editor failed, znode unchanged/.test(failed.stderr)], [1, true]);
    assert.is(await get(), 'new\ntext');
  }));

test('a concurrent change of other lines is kept', () =>
  withWorld(async ({ edit, other, get }) => {
    const run = await edit(other('set /a "one\ntwo\nTHREE"'), 'sed -i s/one/ONE/ "$1"');
    assert.equal([run.code, run.stderr], [0, '']);
    assert.is(await get(), 'ONE\ntwo\nTHREE');
  }));

test('a concurrent change of the same lines sets nothing, and keeps all three versions', () =>
  withWorld(async ({ edit, other, get }) => {
    const run = await edit(other('set /a "one\ntheirs\nthree"'), 'sed -i s/two/mine/ "$1"');
    assert.is(run.code, 7);
    assert.match(run.stderr, /^\/a: another client changed the same lines\n/);
    assert.is(await get(), 'one\ntheirs\nthree');
    const file = /(\/\S+\.txt) has your version/.exec(run.stderr)?.[1] ?? '';
    assert.ok(existsSync(file), run.stderr);
    try {
      assert.match(
        readFileSync(file, 'utf8'),
        /<<<<<<< your version\nmine\n.*\ntwo\n=======\ntheirs\n/,
      );
    } finally {
      rmSync(dirname(file), { recursive: true });
    }
  }));

test('bytes that are not text cannot be edited', () =>
  withWorld(async ({ target, edit }) => {
    await runZksh([target, '-c', 'set /a "\\xff"']);
    const run = await edit('exit 0');
    assert.equal([run.code, /is not UTF-8 text/.test(run.stderr)], [1, true]);
  }));

test.run();
