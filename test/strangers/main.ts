/**
 * `npm run prove -- strangers [--apache] [--attack NAME]… [--minutes N] [--seed N] [--server
 * FILE]`: the attacks of strangers.long.test.ts, on Apache's ensemble too, on another build of
 * zkserver, or for longer with more fuzzing. Exits 1 if one of our ensembles was damaged.
 */
import { parseArgs } from 'node:util';
import { ATTACKS } from './attacks.js';
import { fuzzAttacks } from './fuzz-attacks.js';
import { runAttack, type Verdict } from './run-attack.js';
import { OWN_SERVER, Scene } from './scene.js';

const { values } = parseArgs({
  options: {
    apache: { type: 'boolean', default: false },
    attack: { type: 'string', multiple: true, default: [] },
    minutes: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    server: { type: 'string', default: OWN_SERVER },
  },
});
const endMs = Date.now() + Number(values.minutes) * 60_000;
const isWanted = ({ name }: { name: string }) =>
  values.attack.length === 0 || values.attack.includes(name);

function describe(target: string, verdict: Verdict): string {
  const { attack, attackMs, writes, longestGapMs, recoveryMs, problems } = verdict;
  const { answeredBytes, answeredShare } = verdict;
  const figures = `${writes} writes in ${attackMs} ms, longest gap ${longestGapMs} ms, at most ${Math.round(answeredShare * 100)} % of ${answeredBytes} answered bytes between two, checked in ${recoveryMs} ms`;
  const result = problems.length === 0 ? 'holds' : `HARMED: ${problems.join('; ')}`;
  return `${target.padEnd(7)} ${attack.padEnd(20)} ${result} (${figures})`;
}

async function attackAll(target: string, server: string): Promise<number> {
  let harmed = 0;
  let scene: Scene | undefined;
  let seed = Number(values.seed);
  try {
    do {
      for (const attack of [...ATTACKS, ...fuzzAttacks(seed, 600)].filter(isWanted)) {
        scene ??= await Scene.open(server);
        const verdict = await runAttack(scene, attack);
        console.log(describe(target, verdict));
        if (verdict.problems.length === 0) continue;
        harmed++;
        await scene.close();
        scene = undefined;
      }
      seed++;
    } while (Date.now() < endMs);
  } finally {
    await scene?.close();
  }
  return harmed;
}

const harmed = await attackAll('ours', values.server);
if (values.apache) await attackAll('apache', 'apache');
process.exitCode = harmed === 0 ? 0 : 1;
