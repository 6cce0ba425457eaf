/**
 * `npm run faults -- [--minutes N] [--size 3|5] [--seed N] [--history FILE]`: the faults of
 * faults.test.ts, for longer. FILE gets what the clients saw, which `npm run history` judges again.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runFaults } from './run-faults.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    size: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    history: { type: 'string' },
  },
});
const size = Number(values.size);
const seed = Number(values.seed);
const ms = Number(values.minutes) * 60_000;
const result = await runFaults({
  size,
  seed,
  ms,
  onFault: (text) => process.stderr.write(`${text}\n`),
});
const { problems, acknowledged, seen, faults, logs } = result;
if (values.history !== undefined) writeFileSync(values.history, result.history());
console.log(`${size} members, seed ${seed}: ${acknowledged} writes acknowledged, ${seen} requests`);
console.log(`faults: ${JSON.stringify(faults)}`);
if (problems.length > 0) {
  console.log(`${problems.length} problems:\n${problems.slice(0, 20).join('\n')}`);
  console.log(logs());
  process.exitCode = 1;
} else {
  console.log('nothing acknowledged was lost, and nothing seen that cannot be');
}
