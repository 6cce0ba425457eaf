/**
 * `npm run prove -- fuzz [--minutes N] [--inputs N] [--target T] [--seed S]`: fuzzes each target in
 * turn, guided by coverage. Writes findings to test/fuzz/corpus/<target>.
 */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { keepInput, readCorpus } from './corpus.js';
import { Coverage, countBlocks } from './coverage.js';
import { Fuzzer } from './fuzzer.js';
import { heapInUse } from './heap.js';
import { Watchdog } from './watchdog.js';

countBlocks();
const { TARGETS } = await import('./targets/all.js');

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    inputs: { type: 'string' },
    target: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const chosen = TARGETS.filter(({ name }) => values.target === undefined || name === values.target);
if (chosen.length === 0) {
  const names = TARGETS.map(({ name }) => name).join(', ');
  console.error(`fuzz: no target: ${values.target} (expected one of ${names})`);
  process.exit(2);
}
const watchdog = new Watchdog(tmpdir());
// A count of inputs ends the run, or else the minutes.
const mostInputs = Number(values.inputs ?? Number.POSITIVE_INFINITY) / chosen.length;
const minutes = values.inputs === undefined ? Number(values.minutes) : Number.POSITIVE_INFINITY;
const msEach = (minutes * 60_000) / chosen.length;
let total = 0;
let problems = 0;
for (const target of chosen) {
  const coverage = new Coverage();
  const fuzzer = new Fuzzer(target, Number(values.seed), coverage, watchdog.announce);
  fuzzer.onFound = ({ input, problem }) => {
    const place = `${target.name}, input ${fuzzer.inputs}`;
    console.log(`${place}: ${keepInput(target.name, input)}: ${problem}`);
  };
  const startedMs = performance.now();
  await fuzzer.begin(readCorpus(target));
  const heapMb = [megabytes(heapInUse())];
  while (fuzzer.inputs < mostInputs && performance.now() - startedMs < msEach) {
    await fuzzer.step(mostInputs - fuzzer.inputs);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  heapMb.push(megabytes(heapInUse()));
  const { inputs, corpus, findings, stresses } = fuzzer;
  total += inputs;
  problems += findings.length;
  const rate = Math.round(inputs / seconds);
  const counts = `${inputs} inputs, ${corpus.length} kept, ${coverage.blocks} blocks, ${stresses} stresses`;
  console.log(`${target.name}: ${counts}, ${rate} a second, heap ${heapMb.join(' to ')} MB`);
}
console.log(`${total} inputs, ${problems} findings, seed ${values.seed}`);
if (problems > 0) process.exitCode = 1;
await watchdog.close();

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
