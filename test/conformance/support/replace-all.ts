import { waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import type { SteadyWriters } from '../../support/peers/steady-writers.js';
import { checkMismatches } from './mismatches.js';
import type { MixedEnsemble } from './mixed-ensemble.js';
import { checkSameTrees } from './same-everywhere.js';

/** Replaces each member, in this order. `start` starts the new one on the same data. */
export async function replaceAll(
  ensemble: MixedEnsemble,
  order: readonly number[],
  start: (sid: number) => void,
  writers: SteadyWriters,
): Promise<void> {
  const { seats } = ensemble;
  for (const sid of order) {
    await checkMismatches(ensemble, sid);
    await ensemble.stop(sid);
    start(sid);
    await waitUntilServing(seats.of(sid));
    await writers.goOn();
  }
}

/** No client may write during this check. */
export async function checkReplaced(ensemble: MixedEnsemble): Promise<void> {
  await checkSameTrees(ensemble.seats.all);
  for (const { sid } of ensemble.seats.all) await checkMismatches(ensemble, sid);
}
