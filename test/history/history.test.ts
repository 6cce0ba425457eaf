import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../support/random.js';
import { formatHistory, parseHistory } from './format.js';
import { generate } from './generate.js';
import { judge } from './judge.js';

for (let seed = 1; seed <= 90; seed++) {
  const options = { clients: 2 + (seed % 5), operations: 400, pipeline: 1 + (seed % 7) };
  test(`a valid history passes: seed ${seed}`, () => {
    const lossOneIn = seed % 3 === 0 ? 12 : 0;
    const history = generate({ ...options, random: new Random(seed), lossOneIn });
    assert.equal(judge(parseHistory(formatHistory(history))), []);
  });
}

test.run();
