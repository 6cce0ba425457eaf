import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../support/random.js';
import { generate } from './generate.js';
import { judge } from './judge.js';
import { MUTATIONS } from './mutate.js';

const SEEDS = 12;

for (const { name, properties, mutate } of MUTATIONS) {
  test(`the judge detects a mutation: ${name}`, () => {
    let tried = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const options = { clients: 3, operations: 300, pipeline: 2, random: new Random(seed) };
      const mutated = mutate(generate(options), new Random(seed));
      if (mutated === undefined) continue;
      tried++;
      const verdicts = judge(mutated.history);
      const found = verdicts.filter(({ property }) => properties.includes(property));
      const isNamed = found.some(({ message }) => {
        return mutated.names.every((word) => message.includes(word));
      });
      const shown = verdicts.map(({ property, message }) => `${property}: ${message}`).join('\n');
      assert.ok(isNamed, `seed ${seed}: nothing names ${mutated.names.join(' ')} in\n${shown}`);
    }
    assert.ok(tried >= SEEDS / 3, `only ${tried} histories could be changed so`);
  });
}

test.run();
