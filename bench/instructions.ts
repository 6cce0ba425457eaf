/** Counts the instructions of a process with Linux's `perf`, where that can read the counters. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

const STAT = ['stat', '--field-separator', ',', '--event', 'instructions'];

/** Whether `perf` is installed and can count here. Virtual machines often hide the counters. */
export function canCount(): boolean {
  const { stderr } = spawnSync('perf', [...STAT, 'true'], { encoding: 'utf8' });
  return instructionsIn(stderr ?? '') !== undefined;
}

/**
 * Counts those of all threads of the process from now on.
 * @returns a function that ends the count; undefined if `perf` failed
 */
export function countInstructions(pid: number): () => Promise<number | undefined> {
  const perf = spawn('perf', [...STAT, '--pid', `${pid}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  perf.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const closed = once(perf, 'close');
  return async () => {
    perf.kill('SIGINT');
    await closed;
    return instructionsIn(output);
  };
}

/** @param output a line "NUMBER,UNIT,EVENT,…" for each event; or "<not supported>" as NUMBER */
export function instructionsIn(output: string): number | undefined {
  const found = /^(\d+),[^,]*,instructions/m.exec(output)?.[1];
  return found === undefined ? undefined : Number(found);
}
