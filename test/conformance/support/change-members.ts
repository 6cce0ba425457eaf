import { readFileSync } from 'node:fs';
import { ZooKeeperError } from '../../../src/client/base/errors.js';
import type { Seat } from '../../support/apache/oracle-ensemble.js';
import { withClient } from '../../support/peers/seat-client.js';
import type { SteadyWriters } from '../../support/peers/steady-writers.js';
import { waitFor } from '../../support/wait-for.js';
import { checkSameTrees } from './same-everywhere.js';

/** Further lines of zoo.cfg for an ensemble whose membership a test changes. */
export const RECONFIGURABLE = { reconfigEnabled: true, skipACL: 'yes', maxSessionTimeout: 60_000 };

/** The members in the dynamic file of zoo.cfg, with its version, as getConfig returns them. */
function dynamicConfigOf({ configFile }: Seat): string | undefined {
  const [, file] = /^dynamicConfigFile=(.*)$/m.exec(readFileSync(configFile, 'utf8')) ?? [];
  const [, version] = /\.dynamic\.([0-9a-f]+)$/.exec(file ?? '') ?? [];
  if (file === undefined || version === undefined) return undefined;
  return linesOf(`${readFileSync(file, 'utf8')}\nversion=${version}`);
}

/** A configuration in sorted order. */
function linesOf(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).sort().join('\n');
}

/** Changes the membership through that member. /zookeeper/config shows whether it succeeded. */
export async function changeMembers(
  seat: Seat,
  { joining = [], leaving = [] }: { joining?: readonly string[]; leaving?: readonly number[] },
): Promise<void> {
  await withClient(seat, async (client) => {
    try {
      await client.reconfig({
        ...(joining.length > 0 ? { joining: joining.join() } : {}),
        ...(leaving.length > 0 ? { leaving: leaving.join() } : {}),
      });
    } catch (error) {
      // Its member may have followed the leader that leaves.
      if (!(error instanceof ZooKeeperError && error.code === 'CONNECTIONLOSS')) throw error;
    }
  });
}

async function configAt(seat: Seat): Promise<string> {
  return withClient(seat, async (client) => {
    await client.sync('/');
    return linesOf(`${(await client.getConfig()).data}`);
  });
}

export async function waitForMembers(
  seats: readonly Seat[],
  sids: readonly number[],
): Promise<void> {
  for (const seat of seats) {
    await waitFor(`the members ${sids} at server ${seat.sid}`, async () => {
      const config = await configAt(seat).catch(() => '');
      const found = [...config.matchAll(/^server\.(\d+)=/gm)].map(([, sid]) => Number(sid));
      return `${found.sort((a, b) => a - b)}` === `${sids}`;
    });
  }
}

/**
 * After all writes, acknowledged ones are kept, all trees are equal, and the file of each member
 * has the membership that it serves.
 */
export async function checkKept(writers: SteadyWriters, seats: readonly Seat[]): Promise<void> {
  await writers.checkKeptAt(seats);
  await checkSameTrees(seats);
  for (const seat of seats) {
    const config = await configAt(seat);
    await waitFor(`the file of server ${seat.sid} to have ${config}`, () => {
      return dynamicConfigOf(seat) === config;
    });
  }
}
