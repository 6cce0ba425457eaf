import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { canCount, countInstructions, instructionsIn } from '../../bench/instructions.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

// Few machines of tests have counters, so a script stands in for `perf`.

/** Like `perf`, it writes when it is interrupted, or when its command has ended. */
const PERF = `#!/bin/sh
report() { echo "4200,,instructions:u,1000,100.00,," >&2; exit 0; }
trap report INT
case "$*" in *--pid*) : >"$0.ready"; while :; do sleep 0.05; done ;; esac
report
`;

test('the output of perf with and without counters', () => {
  assert.is(instructionsIn('1234567,,instructions,1000,100.00,,\n'), 1234567);
  assert.is(instructionsIn('1.35,msec,task-clock,1347226,100.00,,\n99,,instructions:u,1,1,,'), 99);
  assert.is(instructionsIn('<not supported>,,instructions,0,100.00,,\n'), undefined);
  assert.is(instructionsIn('<not counted>,,instructions:u,0,100.00,,\n'), undefined);
  assert.is(instructionsIn(''), undefined);
});

test('a count runs until it is ended, and only where perf can count', async () => {
  const folder = makeTempDir('perf');
  const { PATH } = process.env;
  try {
    const perf = join(folder.path, 'perf');
    writeFileSync(perf, PERF);
    chmodSync(perf, 0o755);
    process.env['PATH'] = `${folder.path}${delimiter}${PATH}`;
    assert.ok(canCount());
    const end = countInstructions(process.pid);
    await waitFor('perf to count', () => existsSync(`${perf}.ready`));
    assert.is(await end(), 4200);
    writeFileSync(perf, '#!/bin/sh\necho "<not supported>,,instructions,0,100.00,," >&2\n');
    assert.not.ok(canCount());
  } finally {
    process.env['PATH'] = PATH;
    folder.remove();
  }
});

test.run();
