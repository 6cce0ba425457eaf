import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shapeOf } from './shape.js';
import { Simulation } from './simulation.js';

// Ensembles of the real core under faults. `npm run prove -- sim` runs any number of seeds.

const STEPS = 8000;
const SEEDS = 60;

test(`no seed below ${SEEDS} breaks a guarantee of ZooKeeper`, async () => {
  let writes = 0;
  let reads = 0;
  let epochs = 0;
  const rare = { reconfigs: 0, readOnlyReads: 0, localSessions: 0, moves: 0 };
  for (let seed = 0; seed < SEEDS; seed++) {
    const outcome = await new Simulation({ seed, ...shapeOf(seed), steps: STEPS }).run();
    const replay = `npm run prove -- sim --seed ${seed} --steps ${STEPS} --trace`;
    assert.is(outcome.violation, null, `${outcome.violation}; replay it with: ${replay}`);
    writes += outcome.writes;
    reads += outcome.reads;
    epochs += outcome.epochs;
    rare.reconfigs += outcome.reconfigs;
    rare.readOnlyReads += outcome.readOnlyReads;
    rare.localSessions += outcome.localSessions;
    rare.moves += outcome.moves;
  }
  // A run without events proves nothing.
  assert.ok(writes > 50 * SEEDS && reads > 20 * SEEDS && epochs > 2 * SEEDS);
  for (const [what, count] of Object.entries(rare)) assert.ok(count > 20, `${what}: ${count}`);
});

test('one of two voters continues alone by the word of a truthful oracle, and nothing is lost', async () => {
  let grants = 0;
  let writes = 0;
  for (let seed = 0; seed < 20; seed++) {
    const shape = { ...shapeOf(seed), servers: 2, spares: 0, oracle: 'truthful' } as const;
    const outcome = await new Simulation({ seed, ...shape, steps: STEPS }).run();
    const replay = `npm run prove -- sim --oracle --seed ${seed} --steps ${STEPS} --trace`;
    assert.is(outcome.violation, null, `${outcome.violation}; replay it with: ${replay}`);
    grants += outcome.grants;
    writes += outcome.writes;
  }
  assert.ok(grants > 20 && writes > 20 * 50, `${grants} grants, ${writes} writes`);
});

test('the same seed gives the same trace', async () => {
  // 8 has local sessions and changes its membership. 16 also serves reads without a quorum. 6 has
  // observer masters.
  for (const seed of [3, 4, 6, 8, 16]) {
    const run = async () => {
      const trace: string[] = [];
      const onTrace = (line: string) => trace.push(line);
      const outcome = await new Simulation({
        seed,
        ...shapeOf(seed),
        steps: STEPS,
        onTrace,
      }).run();
      return { trace, outcome };
    };
    const lines = [await run(), await run()];
    assert.equal(lines[0], lines[1]);
    assert.ok((lines[0]?.trace.length ?? 0) > 1000);
  }
  const hashOf = async (seed: number) =>
    (await new Simulation({ seed, servers: 3, steps: 500 }).run()).traceHash;
  assert.is.not(await hashOf(1), await hashOf(2));
});

test.run();
