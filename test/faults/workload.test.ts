import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RawClient } from '../conformance/support/raw-client.js';
import type { History } from '../history/format.js';
import { judge } from '../history/judge.js';
import { MUTATIONS } from '../history/mutate.js';
import { startBundled } from '../support/bundled.js';
import { Random } from '../support/random.js';
import { waitFor } from '../support/wait-for.js';
import { Workload } from './workload.js';

const CLIENTS = 3;
const SEEDS = 2;
/** Traces of a partly applied multi, and of a lock with two holders. */
const MUTATIONS_OF_LOCKS_AND_MULTIS = [
  'a multi that was applied in part',
  'a refused multi of which a part was applied',
  'a token that does not grow',
  'a release without a request',
];

async function record(): Promise<History> {
  const server = await startBundled();
  try {
    const workload = new Workload([server.port], ['/a', '/b', '/c', '/d']);
    await workload.prepare(() => RawClient.connect(server.port), 'first');
    const running = Array.from({ length: CLIENTS }, (_, i) =>
      workload.run(`client${i}`, new Random(i)),
    );
    const { history } = workload.recorder;
    const holds = () => history.filter(({ op, kind }) => op === 'acquire' && kind === 'ok').length;
    await waitFor('the lock to be held', () => holds() > 8);
    workload.end();
    await Promise.all(running);
    const reader = await RawClient.connect(server.port);
    await workload.readAll(reader);
    await reader.close();
    return history;
  } finally {
    await server.close();
  }
}

test('the judge accepts clients of one server, and detects each mutation of their history', async () => {
  const history = await record();
  assert.equal(judge(history), []);
  for (const name of MUTATIONS_OF_LOCKS_AND_MULTIS) {
    const mutation = MUTATIONS.find((one) => one.name === name);
    for (let seed = 1; seed <= SEEDS; seed++) {
      const mutated = mutation?.mutate(history, new Random(seed));
      assert.ok(mutated, `seed ${seed}: the history has no place for ${name}`);
      const found = judge(mutated.history).map(({ property }) => property);
      const isFound = mutation?.properties.some((property) => found.includes(property));
      assert.ok(isFound, `seed ${seed}: ${name} is not found: ${found.join()}`);
    }
  }
});

test.run();
