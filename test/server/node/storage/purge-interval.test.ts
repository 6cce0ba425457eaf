import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Disk } from '../../../../src/server/node/storage/disk.js';
import { waitFor } from '../../../support/wait-for.js';
import { within } from './disk-world.js';

/** The purges while another timer fires 20 times. */
async function purgesWith(everyMs: number): Promise<number> {
  let purges = 0;
  await within(async ({ dir, log }) => {
    dir.purge = async () => {
      purges++;
      return [];
    };
    const ignore = (): void => undefined;
    const handlers = { onPurged: ignore, onSnapshot: ignore, onWarning: ignore, onFatal: ignore };
    const disk = new Disk({ storage: { log, dir }, purge: { everyMs, retain: 3 }, ...handlers });
    let fired = 0;
    const timer = setInterval(() => fired++, 1);
    try {
      disk.startPurging();
      await waitFor('the other timer', () => fired >= 20);
    } finally {
      clearInterval(timer);
      await disk.close();
    }
  });
  return purges;
}

test('an interval of months purges at the start and then waits; a negative one never purges', async () => {
  assert.is(await purgesWith(90 * 24 * 3_600_000), 1);
  assert.is(await purgesWith(-3_600_000), 0);
  assert.ok((await purgesWith(1)) > 1);
});

test.run();
