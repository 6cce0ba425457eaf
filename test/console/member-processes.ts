import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { runZkserver } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

export interface MemberProcess {
  readonly server: string;
  readonly pid: number;
  readonly role: string;
}

export interface MemberProcesses {
  readonly connectString: string;
  readonly leader: MemberProcess;
  /** The first of them. */
  readonly follower: MemberProcess;
  readonly all: readonly MemberProcess[];
  close(): Promise<void>;
}

/** Three members in processes of their own, once they serve. */
export async function startMembers(basePort = 0): Promise<MemberProcesses> {
  const folder = makeTempDir('members');
  const args = ['ensemble', '--base-port', `${basePort}`, '--dir', folder.path];
  const running = runZkserver(args);
  const close = async () => {
    await running.stop();
    folder.remove();
  };
  try {
    const [leader, [follower], all] = await waitFor('the members to serve', () => {
      if (running.process.exitCode !== null) throw new Error(running.output());
      const lines = running.output().matchAll(/\((\S+), process (\d+)\): (leader|follower)/g);
      const found = Array.from(lines, ([, server = '', pid = '', role = '']) => ({
        server,
        pid: Number(pid),
        role,
      }));
      const leads = found.find(({ role }) => role === 'leader');
      const followers = found.filter(({ role }) => role === 'follower');
      return leads && followers.length === 2 ? ([leads, followers, found] as const) : undefined;
    });
    if (follower === undefined) throw new Error('no member follows');
    const connectString = all.map(({ server }) => server).join();
    return { connectString, leader, follower, all, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const STOPPED_MS = 500;
const RUNNING_MS = 100;

/**
 * Lets a process run for only a part of the time, as on a machine that swaps or is overbooked.
 * @returns a function that lets it run freely again
 */
export function slowDown(pid: number): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const wait = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
  const cycle = (async () => {
    while (!signal.aborted) {
      process.kill(pid, 'SIGSTOP');
      await wait(STOPPED_MS);
      process.kill(pid, 'SIGCONT');
      await wait(RUNNING_MS);
    }
  })();
  return () => {
    stop.abort();
    return cycle;
  };
}

/** The processor time of each process during a time, in percent of a core. */
export async function cpuOf(pids: readonly number[], ms: number): Promise<readonly number[]> {
  const before = pids.map(cpuMs);
  const beganAt = performance.now();
  await delay(ms);
  const tookMs = performance.now() - beganAt;
  return pids.map((pid, at) => ((cpuMs(pid) - (before[at] ?? 0)) / tookMs) * 100);
}

/** Linux counts it in hundredths of a second. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
