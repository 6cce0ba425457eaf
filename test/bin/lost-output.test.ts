import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';

// What each program does with output that cannot be written.

const PROGRAMS = ['zksh', 'zkops', 'zkserver'];
const programOf = (name: string) => join(PROJECT_ROOT, 'dist', 'bin', `${name}.cjs`);

/** Runs `script`, in which `run NAME …` runs a program, in a new folder. */
function bash(script: string, cwd: string) {
  const functions = PROGRAMS.map(
    (name) => `${name}() { '${process.execPath}' '${programOf(name)}' "$@"; }`,
  );
  const { stdout, stderr, status } = spawnSync('bash', ['-c', [...functions, script].join('\n')], {
    encoding: 'utf8',
    cwd,
    timeout: 120_000,
  });
  return { stdout, stderr, status };
}

for (const name of PROGRAMS) {
  test(`${name} says in one line that the disk is full, and fails`, () => {
    const home = makeTempDir('lost-output');
    try {
      const full = bash(`${name} --help >/dev/full`, home.path);
      assert.match(full.stderr, new RegExp(`^${name}: cannot write standard output: .*space.*\n$`));
      assert.is.not(full.status, 0);
      // As on a full disk, the system takes a part of the text.
      const part = bash(`ulimit -f 1; trap '' XFSZ; ${name} --help >out`, home.path);
      assert.match(part.stderr, new RegExp(`^${name}: cannot write standard output: .*\n$`));
      assert.is.not(part.status, 0);
      assert.is(statSync(join(home.path, 'out')).size, 1024);
      const deaf = bash(`${name} --nonsense 2>/dev/full; ${name} --nonsense 2>&-`, home.path);
      assert.is.not(deaf.status, 0);
    } finally {
      home.remove();
    }
  });
}

test('a batch ends when its reader leaves, and without a warning', async () => {
  const home = makeTempDir('lost-output');
  const port = await freePort();
  try {
    for (const format of ['table', 'ndjson']) {
      const top = `zkops top --batch --interval 20 -o ${format} --servers 127.0.0.1:${port}`;
      const { stderr, status } = bash(`set -o pipefail; ${top} | head -c 1 >/dev/null`, home.path);
      // The verdict: no member answers.
      assert.equal([status, stderr], [2, ''], format);
    }
  } finally {
    home.remove();
  }
});

test('a run that cannot write its lock removes it', async () => {
  const home = makeTempDir('lost-output');
  try {
    const call = 'zkops health -q --servers 127.0.0.1:1 --lock lock';
    const { status } = bash(`ulimit -f 0; trap '' XFSZ; ${call}`, home.path);
    assert.is(status, 3);
    assert.equal(readdirSync(home.path), []);
    assert.is(bash(call, home.path).status, 2);
    assert.is(existsSync(join(home.path, 'lock')), false);
  } finally {
    home.remove();
  }
});

test.run();
