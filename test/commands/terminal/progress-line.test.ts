import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProgressLine, progressText } from '../../../src/commands/terminal/progress-line.js';

test('a line tells count, share, rate and the time left', () => {
  const state = { done: 'dumped', count: 250, total: 1000 };
  assert.is(
    progressText(state, 500),
    'dumped 250 of 1000 [#####---------------] 25 %, 500/s, 2 s left',
  );
  assert.is(progressText({ done: 'walked', count: 7 }, 1000), 'walked 7, 7/s');
  assert.is(
    progressText({ done: 'dumped', count: 1, total: 100 }, 2000),
    'dumped 1 of 100 [--------------------] 1 %, 1/s, 4 min left',
  );
  // More than was counted at the start.
  assert.is(progressText({ done: 'walked', count: 9, total: 5 }, 1000), 'walked 9, 9/s');
});

test('it is drawn now and then, and taken away', () => {
  const written: string[] = [];
  let nowMs = 0;
  const line = new ProgressLine({ write: (text) => written.push(text) }, () => nowMs);
  line.show({ done: 'walked', count: 1 });
  assert.equal(written, []);
  nowMs = 150;
  line.show({ done: 'walked', count: 2 });
  line.show({ done: 'walked', count: 3 });
  assert.equal(written, ['\r\x1b[2Kwalked 2, 13/s']);
  line.clear();
  line.show(undefined);
  assert.equal(written.slice(1), ['\r\x1b[2K']);
});

test('a share is drawn without its units, after a moment, and goes without a trace', () => {
  let now = 0;
  let text = '';
  const write = (piece: string): void => {
    text += piece;
  };
  const line = new ProgressLine({ write }, () => now, 500);
  const show = (count: number) => line.show({ done: 'log.1', count, total: 4, isShare: true });
  show(1);
  now = 499;
  show(2);
  assert.is(text, '');
  now = 500;
  show(2);
  assert.is(text, `\r\x1b[2Klog.1 [${'#'.repeat(10)}${'-'.repeat(10)}] 50 %`);
  now = 550;
  show(3);
  line.clear();
  line.clear();
  assert.ok(text.endsWith('] 50 %\r\x1b[2K'), text);
});

test.run();
