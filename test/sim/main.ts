import { parseArgs } from 'node:util';
import { type Outcome, type Shape, Simulation, shapeOf } from './simulation.js';

/**
 * Runs simulated ensembles from the command line:
 *
 *   npm run sim -- --seed N [--seeds K] [--servers 5] [--observers 1] [--steps M] [--trace]
 *
 * --seed is the first one, --seeds how many. Without --servers a seed has 3, 5 or 7 of them, and
 * without --observers now and then one observer.
 */
const DEFAULT_STEPS = 20_000;
/** So many seeds lie between two lines of progress. */
const PROGRESS = 100;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    servers: { type: 'string' },
    observers: { type: 'string' },
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
const observers =
  values.observers === undefined ? undefined : whole('observers', values.observers, 0);

/** What the command line asks for, or else the seed. */
function shapeFor(seed: number): Shape {
  const shape = shapeOf(seed);
  return { servers: servers ?? shape.servers, observers: observers ?? shape.observers };
}

function describe(seed: number, outcome: Outcome): string {
  const shape = shapeFor(seed);
  const size = `${shape.servers} servers, ${shape.observers} observers`;
  const { traceHash, simulatedMs, writes, reads, epochs, txns } = outcome;
  const course = `${simulatedMs} ms, epoch ${epochs}, ${txns} txns, ${writes} writes, ${reads} reads`;
  return `seed ${seed}: ${size}, ${course}, trace ${traceHash.slice(0, 16)}`;
}

/** A fault of the simulator itself is told with its seed, and ends the run. */
function run(seed: number, shape: Shape): Outcome {
  try {
    return new Simulation({ seed, ...shape, steps, onTrace }).run();
  } catch (error) {
    console.error(`seed ${seed} cannot be run`);
    throw error;
  }
}

const onTrace = values.trace ? (line: string) => console.log(line) : () => undefined;
let failed = 0;
for (let seed = first; seed < first + count; seed++) {
  const shape = shapeFor(seed);
  const outcome = run(seed, shape);
  if (seed > first && (seed - first) % PROGRESS === 0) console.error(`${seed - first} seeds run`);
  if (count === 1 || outcome.violation !== null) console.log(describe(seed, outcome));
  if (outcome.violation === null) continue;
  failed++;
  const asked = `--servers ${shape.servers} --observers ${shape.observers} --steps ${steps}`;
  console.log(`seed ${seed}: ${outcome.violation}`);
  console.log(`replay it with: npm run sim -- --seed ${seed} ${asked} --trace`);
}
console.log(`${count - failed} of ${count} seeds passed`);
process.exit(failed === 0 ? 0 : 1);
