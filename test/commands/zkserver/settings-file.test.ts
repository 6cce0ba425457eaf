import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../../../src/commands/zkserver/settings-file.js';

const ENV = { OLD: 'old', EMPTY: '' };

for (const text of [
  'JVMFLAGS="-Da=1 -Db=2"',
  "export JVMFLAGS='-Da=$OLD'",
  `JVMFLAGS="$OLD \${OLD}x \${NONE:-other} \${EMPTY:-full}"`,
  'JVMFLAGS=-Da=1 # a comment',
  'JVMFLAGS="-Da=1 \\\n  -Db=2"',
  'JVMFLAGS=-Da="1 2"\\ 3',
  'JVMFLAGS=first\nJVMFLAGS="$JVMFLAGS second"',
  'JVMFLAGS="a \\"b\\" \\$OLD"',
  '# JVMFLAGS=no\n\nJVMFLAGS=',
  'JVMFLAGS=yes\nexport JVMFLAGS',
]) {
  test(`a shell gives the same value: ${JSON.stringify(text)}`, () => {
    const { stdout } = spawnSync('sh', ['-c', `${text}\nprintf %s "$JVMFLAGS"`], {
      env: ENV,
      encoding: 'utf8',
    });
    assert.equal(readSettings(text, ENV), { variables: { JVMFLAGS: stdout }, unread: [] });
  });
}

test('what a shell would run or compute is not taken, and its line is named', () => {
  const text = 'A=1\nif [ -f x ]; then\nB=$(date)\nC=`date`\nD=1 command\nfi\nE=1; rm x\nF=2';
  assert.equal(readSettings(text, {}), {
    variables: { A: '1', F: '2' },
    unread: [2, 3, 4, 5, 6, 7],
  });
});

test.run();
