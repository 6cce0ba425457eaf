import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ATTACKS } from './attacks.js';
import { fuzzAttacks } from './fuzz-attacks.js';
import { runAttack } from './run-attack.js';
import { OWN_SERVER, Scene } from './scene.js';

test('no attack on a port damages the writes, trees, roles, or links of an ensemble', async () => {
  let scene: Scene | undefined;
  const harmed: string[] = [];
  try {
    for (const attack of [...ATTACKS, ...fuzzAttacks(1, 60)]) {
      scene ??= await Scene.open(OWN_SERVER);
      const { problems } = await runAttack(scene, attack);
      if (problems.length === 0) continue;
      harmed.push(`${attack.name}: ${problems.join('; ')}`);
      await scene.close();
      scene = undefined;
    }
  } finally {
    await scene?.close();
  }
  assert.equal(harmed, []);
});

test.run();
