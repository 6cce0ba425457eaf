import { parseArgs } from 'node:util';
import { type Shape, shapeOf } from './shape.js';
import { type Outcome, Simulation } from './simulation.js';

/**
 * Runs simulated ensembles from the command line:
 *
 *   npm run prove -- sim --seed N [--seeds K] [--servers 5] [--observers 1] [--spares 2] [--steps
 *                  M]
 *                  [--oracle] [--trace]
 *
 * --seed is the first seed, and --seeds their number. Without --servers, the seed chooses 3, 5, or
 * 7 servers, sometimes with observers, observer masters, or spare servers that clients add and
 * remove. The seed also chooses whether servers without a quorum serve reads, and whether sessions
 * are local.
 */
const DEFAULT_STEPS = 20_000;
/** The number of seeds between two progress lines. */
const PROGRESS = 100;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    servers: { type: 'string' },
    observers: { type: 'string' },
    spares: { type: 'string' },
    steps: { type: 'string', default: String(DEFAULT_STEPS) },
    oracle: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`npm run prove -- sim [--seed N] [--seeds K] [--steps M] [--trace]
               [--servers 1 to 7] [--observers N] [--spares N] [--oracle]

Simulate K ensembles, one for each seed from N on (default: ${DEFAULT_STEPS} steps each). The seed
chooses the servers, observers, and spares that no option gives. --oracle: two voters with an
oracle. After a violation, it prints how
to replay the seed, and exits with status 1.`);
  process.exit(0);
}

function whole(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  console.error(`expected a whole number of at least ${least} for --${name}, found "${text}"`);
  process.exit(2);
}

const first = whole('seed', values.seed, 0);
const count = whole('seeds', values.seeds, 1);
const steps = whole('steps', values.steps, 1);
const servers = values.servers === undefined ? undefined : whole('servers', values.servers, 1);
const observers =
  values.observers === undefined ? undefined : whole('observers', values.observers, 0);
const spares = values.spares === undefined ? undefined : whole('spares', values.spares, 0);

/** The value of the command line, or else of the seed. */
function shapeFor(seed: number): Shape {
  const shape = shapeOf(seed);
  if (values.oracle) return { ...shape, servers: 2, spares: 0, oracle: 'truthful' };
  const isPair = servers === undefined && shape.oracle !== 'none';
  return {
    ...shape,
    oracle: isPair ? shape.oracle : 'none',
    servers: servers ?? shape.servers,
    observers: observers ?? shape.observers,
    spares: spares ?? shape.spares,
  };
}

function describe(seed: number, outcome: Outcome): string {
  const shape = shapeFor(seed);
  const under = shape.hasObserverMasters ? ' under observer masters' : '';
  const size = `${shape.servers} servers, ${shape.observers} observers${under}, ${shape.spares} spares`;
  const readOnly = shape.isReadOnlyAllowed ? ', read-only mode' : '';
  const cut = shape.areLeadersCutOff ? ', leaders cut off' : '';
  const { traceHash, simulatedMs, writes, reads, epochs, txns, reconfigs, grants } = outcome;
  const work = `${grants} grants, ${txns} txns, ${reconfigs} reconfigs, ${writes} writes, ${reads} reads`;
  const course = `${simulatedMs} ms, epoch ${epochs}, ${work}, trace ${traceHash.slice(0, 16)}`;
  return `seed ${seed}: ${size}, ${shape.sessions} sessions${readOnly}${cut}, ${course}`;
}

/** An error of the simulator itself is printed with its seed and ends the run. */
async function run(seed: number, shape: Shape): Promise<Outcome> {
  try {
    return await new Simulation({ seed, ...shape, steps, onTrace }).run();
  } catch (error) {
    console.error(`seed ${seed} cannot run`);
    throw error;
  }
}

const onTrace = values.trace ? (line: string) => console.log(line) : () => undefined;
let failed = 0;
let grants = 0;
for (let seed = first; seed < first + count; seed++) {
  const shape = shapeFor(seed);
  const outcome = await run(seed, shape);
  if (seed > first && (seed - first) % PROGRESS === 0) console.error(`${seed - first} seeds done`);
  if (count === 1 || outcome.violation !== null) console.log(describe(seed, outcome));
  grants += outcome.grants;
  if (outcome.violation === null) continue;
  failed++;
  const size = `--servers ${shape.servers} --observers ${shape.observers} --spares ${shape.spares}`;
  const asked = `${shape.oracle === 'truthful' ? '--oracle' : size} --steps ${steps}`;
  console.log(`seed ${seed}: ${outcome.violation}`);
  console.log(`replay it with: npm run prove -- sim --seed ${seed} ${asked} --trace`);
}
const alone = grants === 0 ? '' : `; the oracle let a server go on alone ${grants} times`;
console.log(`${count - failed} of ${count} seeds passed${alone}`);
process.exit(failed === 0 ? 0 : 1);
