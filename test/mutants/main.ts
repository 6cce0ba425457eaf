/**
 * Changes one condition, bound, order, or call of the server at a time, and reports the changes
 * that no proof notices:
 *
 *   npm run prove -- mutants [--count N] [--seed S] [--in PART] [--proofs unit,model,sim]
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../support/random.js';
import { isMutable, type MeasuredTest, measure } from './covering-tests.js';
import { whyEquivalent } from './equivalents.js';
import { type Budget, judge, type Mutant, type Proof } from './judge.js';
import { mutationsOf } from './mutations.js';
import { Sandbox } from './sandbox.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROOFS: readonly Proof[] = ['unit', 'model', 'sim'];
/** Tests of other folders run most of the server at once, so they take long and find little. */
const UNIT_TESTS = ['dist/test/files', 'dist/test/server'];

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string', default: '' },
    only: { type: 'string' },
    proofs: { type: 'string', default: PROOFS.join(',') },
    'unit-seconds': { type: 'string', default: '180' },
    'model-runs': { type: 'string', default: '1000' },
    'sim-seeds': { type: 'string', default: '60' },
    'sim-steps': { type: 'string', default: '4000' },
    'sim-from': { type: 'string', default: '0' },
    jobs: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`npm run prove -- mutants [--count N] [--seed S] [--in PART OF A PATH]
                     [--only FILE:OFFSET:CHANGE] [--proofs unit,model,sim] [--jobs N]
                     [--unit-seconds N] [--model-runs N]
                     [--sim-seeds N] [--sim-steps N] [--sim-from SEED]

Change N places of the server, drawn by the seed, one at a time. Ask the unit tests that run the
place, then the model, then the simulator. Print each change that none of them notices. Exit with
status 1 if there is one without a reason in test/mutants/equivalents.ts.`);
  process.exit(0);
}

function whole(name: keyof typeof values): number {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`--${name}: not a whole number: ${values[name]}`);
  process.exit(2);
}

function filesBelow(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.map((name) => join(folder, name)).sort();
}

/** Not the compiled files whose sources were removed. */
function unitTests(): string[] {
  return UNIT_TESTS.flatMap(filesBelow)
    .filter((path) => path.endsWith('.test.js') && !path.endsWith('.long.test.js'))
    .filter((path) => existsSync(sourceOf(path)));
}

/** Measuring takes minutes. The result holds until the next build. */
function measuredTests(): MeasuredTest[] {
  const kept = join(ROOT, 'dist', 'mutants-coverage.json');
  const built = statSync(join(ROOT, 'dist', '.built')).mtimeMs;
  if (existsSync(kept) && statSync(kept).mtimeMs > built) {
    return JSON.parse(readFileSync(kept, 'utf8'));
  }
  const tests: MeasuredTest[] = [];
  for (const path of unitTests()) {
    const test = measure(path, ROOT);
    if (test === undefined) console.error(`left out, since it fails: ${path}`);
    else if (Object.keys(test.blocks).length > 0) tests.push(test);
  }
  writeFileSync(kept, JSON.stringify(tests));
  return tests;
}

function allMutants(): Mutant[] {
  const paths = filesBelow('dist/src').filter(isMutable);
  return paths
    .filter((path) => path.includes(values.in) && existsSync(sourceOf(path)))
    .flatMap((path) => {
      const code = readFileSync(join(ROOT, path), 'utf8');
      return mutationsOf(code).map((mutation) => ({ path, code, mutation }));
    });
}

function sourceOf(path: string): string {
  return join(ROOT, path.slice('dist/'.length).replace(/js$/, 'ts'));
}

/** Names a mutant for --only, and in equivalents.ts. */
function idOf({ path, mutation }: Mutant): string {
  return `${path.slice('dist/src/'.length)}:${mutation.start}:${mutation.change}`;
}

function placeOf({ path, code, mutation }: Mutant): string {
  const before = code.slice(0, mutation.start).split('\n');
  const map = new SourceMap(JSON.parse(readFileSync(join(ROOT, `${path}.map`), 'utf8')));
  const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0);
  const line = 'originalLine' in entry ? entry.originalLine + 1 : '?';
  return `${path.slice('dist/'.length).replace(/js$/, 'ts')}:${line}`;
}

function lineOf({ code, mutation }: Mutant): string {
  const from = code.lastIndexOf('\n', mutation.start) + 1;
  return code.slice(from, code.indexOf('\n', mutation.start)).trim();
}

function drawn(mutants: Mutant[]): Mutant[] {
  if (values.only !== undefined) return mutants.filter((one) => idOf(one) === values.only);
  const random = new Random(whole('seed'));
  const rest = [...mutants];
  const count = Math.min(whole('count'), rest.length);
  return Array.from({ length: count }, () => rest.splice(random.below(rest.length), 1)).flat();
}

const proofs = PROOFS.filter((proof) => values.proofs.split(',').includes(proof));
const budget: Budget = {
  proofs,
  unitSeconds: whole('unit-seconds'),
  modelRuns: whole('model-runs'),
  seeds: whole('sim-seeds'),
  steps: whole('sim-steps'),
  firstSeed: whole('sim-from'),
};
const tests = proofs.includes('unit') ? measuredTests() : [];
const mutants = allMutants();
const queue = drawn(mutants);
console.log(`${queue.length} of ${mutants.length} mutants, seed ${values.seed}`);
const counts = { noticed: 0, equivalent: 0, survived: 0 };

async function work(): Promise<void> {
  using sandbox = new Sandbox(ROOT);
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const line = lineOf(mutant);
    const { change } = mutant.mutation;
    const why = whyEquivalent(mutant.path.slice('dist/src/'.length), line, change);
    const named = `${placeOf(mutant)}: ${change}\n    ${line}`;
    if (why !== undefined) {
      counts.equivalent++;
      console.log(`equivalent: ${named}\n    ${why}`);
      continue;
    }
    const { by, covering } = await judge(sandbox, mutant, tests, budget);
    counts[by === undefined ? 'survived' : 'noticed']++;
    if (by !== undefined) console.log(`noticed by ${by}: ${named}`);
    else console.log(`SURVIVED (${covering} tests run it): ${named}\n    --only '${idOf(mutant)}'`);
  }
}

await Promise.all(Array.from({ length: whole('jobs') }, work));
const { noticed, equivalent, survived } = counts;
console.log(`${noticed} noticed, ${equivalent} equivalent, ${survived} survived`);
process.exitCode = survived === 0 ? 0 : 1;
