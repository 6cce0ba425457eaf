/**
 * `npm run prove -- faults [--minutes N] [--size 3|5] [--seed N] [--history FILE]`: the faults of
 * faults.test.ts, for longer, in rounds of three minutes, each with the next seed and its own
 * verdict. FILE gets the client history of the last one; `npm run prove -- history` can judge it
 * again.
 *
 * With `--mixed`, each start of a member takes Apache's server or the bundled one at random.
 *
 * `npm run prove -- faults --disk [--minutes N] [--seed N] [--server FILE]`: the full disks of
 * full-disk.test.ts, for longer, or under another build of zkserver.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runFullDisk } from './full-disk.js';
import { runFaults } from './run-faults.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    size: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    history: { type: 'string' },
    disk: { type: 'boolean', default: false },
    mixed: { type: 'boolean', default: false },
    server: { type: 'string' },
  },
});

/** The judge takes longer than in proportion to the history. */
const ROUND_MS = 3 * 60_000;

/** Rounds, each with its own ensemble and seed, until one has problems. */
async function faults(first: number): Promise<void> {
  const size = Number(values.size);
  const onFault = (text: string) => process.stderr.write(`${text}\n`);
  let leftMs = Number(values.minutes ?? 10) * 60_000;
  for (let seed = first; leftMs > 0; seed++, leftMs -= ROUND_MS) {
    const ms = Math.min(leftMs, ROUND_MS);
    const result = await runFaults({ size, seed, ms, onFault, isMixed: values.mixed });
    const { problems, acknowledged, seen, multis, refusals, holds, faults: made, logs } = result;
    if (values.history !== undefined) writeFileSync(values.history, result.history());
    console.log(
      `${size} members, seed ${seed}: ${acknowledged} writes acknowledged, ${seen} requests`,
    );
    console.log(`${multis} multis done, ${refusals} refused, the lock held ${holds} times`);
    console.log(`faults: ${JSON.stringify(made)}`);
    if (problems.length > 0) {
      console.log(`${problems.length} problems:\n${problems.slice(0, 20).join('\n')}`);
      console.log(logs());
      process.exitCode = 1;
      return;
    }
  }
  console.log('nothing acknowledged was lost, and nothing seen that cannot be');
}

/** Repeats each kind with and without a client that never reads. */
async function fullDisks(first: number): Promise<void> {
  const endMs = Date.now() + Number(values.minutes ?? 0) * 60_000;
  let seed = first;
  do {
    for (const full of ['snapshot', 'log'] as const) {
      for (const hasSilentReader of [false, true]) {
        const { server } = values;
        const { problems, acknowledged } = await runFullDisk({
          full,
          seed,
          hasSilentReader,
          server,
        });
        const reader = hasSilentReader ? ', a client that never reads' : '';
        const result = problems.length === 0 ? 'holds' : problems.slice(0, 5).join('; ');
        console.log(`full ${full}${reader}, seed ${seed}, ${acknowledged} writes: ${result}`);
        if (problems.length > 0) process.exitCode = 1;
      }
    }
    seed++;
  } while (Date.now() < endMs);
}

await (values.disk ? fullDisks : faults)(Number(values.seed));
