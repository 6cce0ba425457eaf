import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkModel } from './check-model.js';

// `npm run prove -- model` continues from here; MODEL_RUNS makes this test longer.
const RUNS = Number(process.env['MODEL_RUNS'] ?? 200);

test('server and model agree on txns, replies, trees, and digests', () => {
  const { isHeld, report } = checkModel({ runs: RUNS, seed: 1 });
  assert.ok(isHeld, report);
});

test.run();
