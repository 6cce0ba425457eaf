/**
 * `npm run prove -- soak [--minutes N] [--size 3|5] [--seed N]`: an ensemble of processes under
 * abusive clients. Prints the resources of each member after every cycle, and exits 1 if they grew.
 */
import { parseArgs } from 'node:util';
import { describe } from './growth.js';
import { runSoak } from './run-soak.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    size: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
  },
});
const { problems, cycles, lives, heard, logs } = await runSoak({
  size: Number(values.size),
  seed: Number(values.seed),
  ms: Number(values.minutes) * 60_000,
  onCalm: (calm) => console.log(describe(calm)),
});
console.log(`${cycles} cycles, ${lives} clients, ${heard} answers and events`);
if (problems.length > 0) {
  console.log(logs());
  console.log(`${problems.length} problems:\n${problems.join('\n')}`);
  process.exitCode = 1;
} else {
  console.log('nothing grew, and all that clients left is gone');
}
