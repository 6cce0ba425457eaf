import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Calm, growthIn } from './growth.js';
import type { Resources } from './resources.js';
import { runSoak } from './run-soak.js';

const STEADY: Resources = {
  rss: 100,
  heap: 20,
  external: 5,
  fds: 40,
  sockets: 8,
  timers: 6,
  watches: 0,
  sessions: 0,
  ephemerals: 0,
  znodes: 7,
};

/** The readings of one life. */
function life(count: number, resourcesAt: (cycle: number) => Partial<Resources>): Calm[] {
  return Array.from({ length: count }, (_, at) => {
    const cycle = at + 1;
    return { cycle, sid: 1, pid: 4711, resources: { ...STEADY, ...resourcesAt(cycle) } };
  });
}

test('an ensemble releases everything of abusive clients', async () => {
  const { problems, lives, heard, logs } = await runSoak({
    size: 3,
    seed: 1,
    ms: 0,
    clients: 8,
    cycleMs: 4000,
  });
  assert.equal(problems, [], logs());
  assert.ok(lives > 20 && heard > 1000, `${lives} clients heard ${heard} answers`);
});

test('steady and varying readings do not count as growth', () => {
  assert.equal(growthIn(life(20, (cycle) => ({ rss: 100 + (cycle % 3) * 10 }))), []);
});

for (const name of ['rss', 'heap', 'fds', 'sockets', 'timers', 'znodes'] as const) {
  test(`growth of ${name} is detected`, () => {
    const [problem = ''] = growthIn(life(40, (cycle) => ({ [name]: STEADY[name] + cycle * 4 })));
    assert.match(problem, new RegExp(`member 1: ${name} grew from`));
  });
}

test.run();
