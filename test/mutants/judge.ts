/** Plants one mutation at a time, and asks the proofs, the fastest first, until one notices it. */
import { coveringTests, type MeasuredTest } from './covering-tests.js';
import { type Mutation, mutate } from './mutations.js';
import type { Sandbox } from './sandbox.js';

export type Proof = 'unit' | 'model' | 'sim';

export interface Mutant {
  /** Below the root, such as dist/src/server/server.js. */
  readonly path: string;
  readonly code: string;
  readonly mutation: Mutation;
}

export interface Verdict {
  /** The proof that noticed it, such as the path of a test. Undefined if it survived. */
  readonly by: string | undefined;
  /** The number of unit tests that run the place. */
  readonly covering: number;
}

export interface Budget {
  readonly proofs: readonly Proof[];
  /** For the unit tests of a mutant. The model and the simulator have their own counts. */
  readonly unitSeconds: number;
  readonly modelRuns: number;
  readonly seeds: number;
  readonly steps: number;
  readonly firstSeed: number;
}

/** A mutant that never ends is noticed after this many times the usual time. */
const PATIENCE = 5;
const LEAST_MS = 10_000;
/** The model and the simulator stop by themselves. */
const PROOF_MS = 30 * 60_000;

async function noticedByTests(
  sandbox: Sandbox,
  tests: readonly MeasuredTest[],
  seconds: number,
): Promise<string | undefined> {
  let spent = 0;
  for (const test of tests) {
    if (spent > seconds) return;
    spent += test.seconds;
    const limitMs = LEAST_MS + PATIENCE * test.seconds * 1000;
    if (!(await sandbox.run([test.path], limitMs))) return test.path;
  }
  return undefined;
}

/** A few seeds each time: one that finds the mutant ends the search. */
const SEEDS_AT_ONCE = 10;

async function noticedBySeeds(sandbox: Sandbox, budget: Budget): Promise<string | undefined> {
  const { firstSeed, seeds, steps } = budget;
  for (let done = 0; done < seeds; done += SEEDS_AT_ONCE) {
    const count = Math.min(SEEDS_AT_ONCE, seeds - done);
    const args = ['--seed', firstSeed + done, '--seeds', count, '--steps', steps].map(String);
    if (await sandbox.run(['dist/test/sim/main.js', ...args], PROOF_MS)) continue;
    return `sim, seeds ${firstSeed + done} to ${firstSeed + done + count - 1}`;
  }
  return undefined;
}

async function noticedByModel(
  sandbox: Sandbox,
  { modelRuns }: Budget,
): Promise<string | undefined> {
  const args = ['dist/test/model/main.js', '--runs', String(modelRuns)];
  return (await sandbox.run(args, PROOF_MS)) ? undefined : 'model';
}

export async function judge(
  sandbox: Sandbox,
  { path, code, mutation }: Mutant,
  tests: readonly MeasuredTest[],
  budget: Budget,
): Promise<Verdict> {
  const covering = coveringTests(tests, path, mutation.start);
  const ask: Record<Proof, () => Promise<string | undefined>> = {
    unit: () => noticedByTests(sandbox, covering, budget.unitSeconds),
    model: () => noticedByModel(sandbox, budget),
    sim: () => noticedBySeeds(sandbox, budget),
  };
  sandbox.put(path, mutate(code, mutation));
  try {
    for (const proof of budget.proofs) {
      const by = await ask[proof]();
      if (by !== undefined) return { by, covering: covering.length };
    }
    return { by: undefined, covering: covering.length };
  } finally {
    sandbox.put(path);
  }
}
