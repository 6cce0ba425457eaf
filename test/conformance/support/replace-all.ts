import { waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import type { SteadyWriters } from '../../support/peers/steady-writers.js';
import type { MixedEnsemble } from './mixed-ensemble.js';
import { checkNoMismatches } from './same-everywhere.js';

/** Replaces each member, in this order. `start` starts the new one on the same data. */
export async function replaceAll(
  { seats, stop }: MixedEnsemble,
  order: readonly number[],
  start: (sid: number) => void,
  writers: SteadyWriters,
): Promise<void> {
  for (const sid of order) {
    await checkNoMismatches(seats.of(sid));
    await stop(sid);
    start(sid);
    await waitUntilServing(seats.of(sid));
    await writers.goOn();
  }
}
