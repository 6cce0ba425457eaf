import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { ZooKeeperError } from '../../../src/client/index.js';
import { type Member, makeSeats, type Seat, waitUntilServing } from '../apache/oracle-ensemble.js';
import { waitFor } from '../wait-for.js';
import { ask, withClient } from './seat-client.js';

export type Maker = 'ours' | 'theirs';

/** Two voters as processes, each with its own file of oraclePath. */
class Pair {
  readonly seats: Awaited<ReturnType<typeof makeSeats>>;
  private readonly makers: Readonly<Record<1 | 2, Maker>>;
  private readonly running = new Map<number, Member>();

  constructor(seats: Awaited<ReturnType<typeof makeSeats>>, makers: Record<1 | 2, Maker>) {
    this.seats = seats;
    this.makers = makers;
    for (const seat of seats.all) {
      this.say(seat.sid, '0');
      appendFileSync(seat.configFile, `oraclePath=${fileOf(seat)}\n`);
    }
  }

  /** By a rename: a reader never finds an empty file. */
  say(sid: number, text: '0' | '1'): void {
    const file = fileOf(this.seats.of(sid));
    writeFileSync(`${file}.new`, `${text}\n`);
    renameSync(`${file}.new`, file);
  }

  start(sid: 1 | 2): void {
    const { seats, makers } = this;
    const start = makers[sid] === 'ours' ? seats.startBundled : seats.startApache;
    this.running.set(sid, start(sid));
  }

  async kill(sid: number): Promise<void> {
    await this.running.get(sid)?.stop('SIGKILL');
    this.running.delete(sid);
  }

  async waitForMode(sid: number, mode: string): Promise<void> {
    const seat = this.seats.of(sid);
    const isSo = async () => (await ask(seat, 'srvr').catch(() => '')).includes(`Mode: ${mode}\n`);
    await waitFor(`server ${sid} as ${mode}`, isSo, 60_000);
  }

  /** Repeats the write if its role changes meanwhile. */
  async write(sid: number, path: string): Promise<void> {
    const isWritten = () =>
      withClient(this.seats.of(sid), (client) => client.create(path, null)).then(
        () => true,
        (error) => error instanceof ZooKeeperError && error.code === 'NODEEXISTS',
      );
    await waitFor(`${path} through server ${sid}`, isWritten, 60_000);
  }

  async check(sid: number, paths: readonly string[]): Promise<void> {
    const found = await withClient(this.seats.of(sid), async (client) => {
      await client.sync('/');
      return (await client.getChildren('/')).children;
    });
    const missing = paths.filter((path) => !found.includes(path.slice(1)));
    assert.equal(missing, [], `server ${sid} (${this.makers[sid === 1 ? 1 : 2]})`);
  }

  get output(): string {
    const lines = [...this.running].map(
      ([sid, member]) => `${sid}:\n${member.output().split('\n').slice(-40).join('\n')}`,
    );
    return lines.join('\n');
  }
}

function fileOf({ home }: Seat): string {
  return join(home, 'mastership');
}

/**
 * The follower is killed, then the leader, then both. Each time, the file of the other says 1, and
 * 0 again once both are in sync. No acknowledged write may be missing.
 */
export async function playLoneVoters(makers: Record<1 | 2, Maker>): Promise<void> {
  const seats = await makeSeats({ participants: 2 });
  const pair = new Pair(seats, makers);
  try {
    for (const sid of [1, 2] as const) pair.start(sid);
    await pair.waitForMode(2, 'leader');
    await waitUntilServing(seats.of(1));
    await pair.write(1, '/together');

    await pair.kill(1);
    pair.say(2, '1');
    await pair.waitForMode(2, 'leader');
    await pair.write(2, '/leader-alone');
    pair.start(1);
    await pair.waitForMode(1, 'follower');
    pair.say(2, '0');
    await pair.check(1, ['/together', '/leader-alone']);

    await pair.kill(2);
    pair.say(1, '1');
    await pair.waitForMode(1, 'leader');
    await pair.write(1, '/follower-alone');
    pair.start(2);
    await pair.waitForMode(2, 'follower');
    pair.say(1, '0');
    const all = ['/together', '/leader-alone', '/follower-alone'];
    await pair.check(2, all);

    for (const sid of [1, 2]) await pair.kill(sid);
    for (const sid of [1, 2] as const) pair.start(sid);
    for (const sid of [1, 2]) {
      await waitUntilServing(seats.of(sid));
      await pair.check(sid, all);
    }
  } catch (error) {
    if (error instanceof Error) error.message += `\n${pair.output}`;
    throw error;
  } finally {
    await seats.close();
  }
}
