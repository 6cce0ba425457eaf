import { parseArgs } from 'node:util';
import { type Outcome, Simulation } from './simulation.js';

/**
 * Runs simulated ensembles from the command line:
 *
 *   npm run sim -- --seed N [--seeds K] [--servers 5] [--steps M] [--trace]
 *
 * --seed is the first one, --seeds how many. Without --servers a seed has 3, 5 or 7 of them.
 */
const DEFAULT_STEPS = 20_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    servers: { type: 'string' },
    steps: { type: 'string', default: String(DEFAULT_STEPS) },
    trace: { type: 'boolean', default: false },
  },
});

function whole(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  console.error(`expected a whole number from ${least} on behind --${name}, found "${text}"`);
  process.exit(2);
}

const first = whole('seed', values.seed, 0);
const count = whole('seeds', values.seeds, 1);
const steps = whole('steps', values.steps, 1);
const servers = values.servers === undefined ? undefined : whole('servers', values.servers, 1);

function sizeOf(seed: number): number {
  return servers ?? [3, 5, 3, 7][seed % 4] ?? 3;
}

function describe(seed: number, outcome: Outcome): string {
  const { traceHash, simulatedMs, writes, reads, epochs, txns } = outcome;
  return `seed ${seed}: ${sizeOf(seed)} servers, ${simulatedMs} ms, epoch ${epochs}, ${txns} txns, ${writes} writes, ${reads} reads, trace ${traceHash.slice(0, 16)}`;
}

let failed = 0;
for (let seed = first; seed < first + count; seed++) {
  const size = sizeOf(seed);
  const onTrace = values.trace ? (line: string) => console.log(line) : undefined;
  const outcome = new Simulation({
    seed,
    servers: size,
    steps,
    ...(onTrace === undefined ? {} : { onTrace }),
  }).run();
  if (count === 1 || outcome.violation !== null) console.log(describe(seed, outcome));
  if (outcome.violation === null) continue;
  failed++;
  console.log(`seed ${seed}: ${outcome.violation}`);
  console.log(
    `replay it with: npm run sim -- --seed ${seed} --servers ${size} --steps ${steps} --trace`,
  );
}
console.log(`${count - failed} of ${count} seeds passed`);
process.exit(failed === 0 ? 0 : 1);
