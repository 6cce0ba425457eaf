/** docs/metrics.md lists the metrics that stay zero: exactly those that the server never counts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ADVANCED_SUMMARIES,
  BASIC_SUMMARIES,
  COUNTERS,
  LATER_BASIC_SUMMARIES,
  LATER_COUNTERS,
  OPERATION_COUNTERS,
  TTL_COUNTERS,
} from '../../../src/fourlw/base/mntr-keys.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const NAMES: readonly string[] = [
  ...COUNTERS,
  ...LATER_COUNTERS,
  ...OPERATION_COUNTERS,
  ...TTL_COUNTERS,
  ...BASIC_SUMMARIES,
  ...LATER_BASIC_SUMMARIES,
  ...ADVANCED_SUMMARIES,
];

/** Every source of the server, where a metric that is counted is written as a word. */
function wordsOfServer(): ReadonlySet<string> {
  const folder = join(ROOT, 'src', 'server');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => name.endsWith('.ts'));
  const texts = sources.map((name) => readFileSync(join(folder, name), 'utf8'));
  // The driver puts these two together of the command's name.
  const composed = ['snapshot_rate_limited_count', 'restore_rate_limited_count'];
  return new Set([...(texts.join('\n').match(/\b[a-z_]+\b/g) ?? []), ...composed]);
}

function listed(): string[] {
  const rows = readFileSync(join(ROOT, 'docs', 'metrics.md'), 'utf8').match(/^\| `.*$/gm) ?? [];
  return rows.flatMap((row) => (row.split(' | ')[0] ?? '').match(/(?<=`)\w+(?=`)/g) ?? []);
}

test('exactly the metrics that stay zero are listed, with a reason', () => {
  const words = wordsOfServer();
  const never = NAMES.filter((name) => !words.has(name));
  assert.equal([...listed()].sort(), [...never].sort());
});

test.run();
