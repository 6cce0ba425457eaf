import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { PROJECT_ROOT } from '../../../support/tidy/source-file.js';

const logger = join(PROJECT_ROOT, 'dist', 'src', 'server', 'node', 'log', 'logger.js');
const PROGRAM = `
  import { createLogger } from ${JSON.stringify(logger)};
  const log = await createLogger({ level: 'debug' });
  log.report({ kind: 'warning', message: 'careful' });
  log.report({ kind: 'purged', files: [] });
`;

/** The log of a process whose standard error is a file, which may be the journal. */
function logOf(makeStream: (place: string) => string): string {
  const { path, remove } = makeTempDir('journal');
  try {
    const file = join(path, 'log');
    const handle = openSync(file, 'w');
    const { dev, ino } = fstatSync(handle);
    const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      stdio: ['ignore', 'ignore', handle],
      env: { ...process.env, JOURNAL_STREAM: makeStream(`${dev}:${ino}`) },
    });
    closeSync(handle);
    assert.is(status, 0, readFileSync(file, 'utf8'));
    return readFileSync(file, 'utf8');
  } finally {
    remove();
  }
}

test('a line for the journal begins with its priority, and other lines do not', () => {
  const starts = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(0, 11));
  assert.equal(starts(logOf((place) => place)), ['<4>{"level"', '<6>{"level"']);
  // systemd's variable reaches processes that log elsewhere.
  for (const other of ['1:2', '', 'nonsense']) {
    assert.equal(starts(logOf(() => other)), ['{"level":"w', '{"level":"i']);
  }
});

test.run();
