import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configFromOptions } from '../../../../src/server/config/config.js';
import { makeSnapshots } from '../../../../src/server/node/boot/make-server.js';
import { NOTHING_LOGGED } from '../../../../src/server/pipeline/snapshot-trigger.js';

const TXN = 100;

/** After how many txns a snapshot of a tree of that many bytes is due. */
function txnsUntilDue(options: Readonly<Record<string, string>>, snapshotSize: number): number {
  const result = configFromOptions(options);
  if (!('config' in result)) throw new Error('the options are not valid');
  const trigger = makeSnapshots(result.config, NOTHING_LOGGED);
  for (let txns = 1; ; txns++) if (trigger.isDue(TXN, { snapshotSize })) return txns;
}

function expectBetween(value: number, least: number, most: number): void {
  assert.ok(value >= least && value <= most, `${value} is not from ${least} to ${most}`);
}

test('by default, the log grows to a quarter to half of the tree before a snapshot', () => {
  const size = 1_000_000 * TXN;
  expectBetween(txnsUntilDue({}, size), size / TXN / 4, size / TXN / 2);
  expectBetween(txnsUntilDue({}, 0), 50_000, 100_000);
});

test('a limit that is set decides alone, as in Apache, even if its value is the default', () => {
  const size = 1_000_000 * TXN;
  expectBetween(txnsUntilDue({ snapCount: '10' }, size), 6, 10);
  expectBetween(txnsUntilDue({ snapCount: '100000' }, size), 50_000, 100_000);
  expectBetween(txnsUntilDue({ snapSizeLimitInKb: '4194304' }, size), 50_000, 100_000);
  expectBetween(txnsUntilDue({ snapSizeLimitInKb: '10' }, size), 50, 103);
});

test.run();
