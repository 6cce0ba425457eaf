import { setTimeout as delay } from 'node:timers/promises';
import type { SessionClient } from '../../../src/client/base/client.js';
import type { ClientOptions } from '../../../src/client/base/client-options.js';
import { ZooKeeperError } from '../../../src/client/base/errors.js';
import { createClient } from '../../../src/client/index.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import type { Seat } from '../apache/oracle-ensemble.js';
import { waitFor } from '../wait-for.js';
import { withClient } from './seat-client.js';

/** Longer than the elections of a busy machine, if the servers grant it. */
export const SESSION_TIMEOUT_MS = 40_000;
const TOP = '/load';

/** How the writers prove who they are. Default: not at all. */
type Login = Pick<ClientOptions, 'tls' | 'sasl'>;

const CREATE_EVERY = 16;
/** The writes, and the pause after them. Without a pause the load would take a whole core. */
const BURST = 8;
const PAUSE_MS = 20;

/**
 * Clients that write in short bursts, one write after another. Each sets its own znode to the
 * number of the write, and sometimes creates a znode. A write counts as acknowledged when it was
 * answered. A write whose connection was lost may exist or not.
 */
export class SteadyWriters {
  private readonly writers: readonly Writer[];
  private running: Promise<unknown> = Promise.resolve();

  private constructor(writers: readonly Writer[]) {
    this.writers = writers;
  }

  /** Resolves when each has a session and writes. */
  static async start(
    connectString: string,
    count: number,
    login: Login = {},
  ): Promise<SteadyWriters> {
    const writers = Array.from(
      { length: count },
      (_, i) => new Writer(connectString, login, i + 1),
    );
    const all = new SteadyWriters(writers);
    try {
      await writers[0]?.makeTop();
      for (const writer of writers) await writer.begin();
    } catch (error) {
      await all.close();
      throw error;
    }
    all.running = Promise.all(writers.map((writer) => writer.run()));
    // Notifies callers that wait for more writes or for the end.
    all.running.catch(() => undefined);
    return all;
  }

  get acknowledged(): number {
    return this.writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
  }

  /** Resolves when each has `count` acknowledged writes that it began after this call. */
  async goOn(count = 20): Promise<void> {
    const before = this.writers.map((writer) => writer.acknowledged);
    // The first may have been in flight already.
    const isOn = (writer: Writer, i: number) =>
      writer.acknowledged > (before[i] ?? 0) + count || writer.failure !== undefined;
    await waitFor('writes to be acknowledged', () => this.writers.every(isOn), 60_000);
    this.check();
  }

  /**
   * Stops the writes. The sessions stay.
   * @throws the error of a failed writer
   */
  async pause(): Promise<void> {
    for (const writer of this.writers) writer.isOver = true;
    await this.running;
    this.check();
  }

  /**
   * Call it only after `pause`.
   * @throws an error that names the acknowledged writes that a server misses
   */
  async checkKeptAt(seats: readonly Pick<Seat, 'sid' | 'connectString'>[]): Promise<void> {
    for (const seat of seats) {
      await withClient(seat, async (client) => {
        await client.sync('/');
        const losses = await Promise.all(this.writers.map((writer) => writer.lossesAt(client)));
        if (losses.flat().length > 0) {
          throw new Error(`server ${seat.sid} lost writes: ${losses.flat().join('; ')}`);
        }
      });
    }
  }

  async close(): Promise<void> {
    for (const writer of this.writers) writer.isOver = true;
    await this.running.catch(() => undefined);
    await Promise.all(this.writers.map((writer) => writer.client.close()));
  }

  private check(): void {
    for (const { failure } of this.writers) if (failure !== undefined) throw failure;
  }
}

class Writer {
  readonly client: SessionClient;
  isOver = false;
  acknowledged = 0;
  failure: unknown;
  private readonly path: string;
  private tried = 0;
  private readonly made: number[] = [];
  private lastSet = 0;
  private lastZxid = 0n;

  constructor(connectString: string, login: Login, index: number) {
    this.client = createClient({ ...login, connectString, sessionTimeoutMs: SESSION_TIMEOUT_MS });
    this.path = `${TOP}/${index}`;
  }

  async makeTop(): Promise<void> {
    await this.client.connect();
    await this.client.create(TOP);
  }

  async begin(): Promise<void> {
    if (this.client.state !== 'connected') await this.client.connect();
    await this.client.create(this.path, Buffer.from('0'));
    await this.client.create(`${this.path}/alive`, null, { mode: CreateModes.EPHEMERAL });
  }

  async run(): Promise<void> {
    while (!this.isOver) {
      try {
        await this.write(++this.tried);
        this.acknowledged++;
        if (this.tried % BURST === 0) await delay(PAUSE_MS);
      } catch (error) {
        if (error instanceof ZooKeeperError && error.code === 'CONNECTIONLOSS') continue;
        this.failure = error;
        return;
      }
    }
  }

  private async write(number: number): Promise<void> {
    const data = Buffer.from(`${number}`);
    if (number % CREATE_EVERY === 0) {
      const { stat } = await this.client.create(`${this.path}/${number}`, data);
      this.made.push(number);
      this.rise(stat.czxid);
      return;
    }
    const { mzxid } = await this.client.setData(this.path, data);
    this.lastSet = number;
    this.rise(mzxid);
  }

  private rise(zxid: bigint): void {
    if (zxid <= this.lastZxid) {
      throw new Error(`${this.path} was written at ${zxid}, before ${this.lastZxid}`);
    }
    this.lastZxid = zxid;
  }

  async lossesAt(client: SessionClient): Promise<string[]> {
    const { path, made, lastSet } = this;
    const losses: string[] = [];
    const { data, stat } = await client.getData(path);
    if (Number(`${data}`) < lastSet) losses.push(`${path} is ${data}: ${lastSet} was acknowledged`);
    const { children } = await client.getChildren(path);
    const found = new Set(children);
    for (const number of made) {
      if (!found.has(`${number}`)) losses.push(`${path}/${number} was created and is missing`);
    }
    const sets = this.acknowledged - made.length;
    if (stat.version < sets) losses.push(`${path} was set ${stat.version} times of ${sets}`);
    const alive = await client.exists(`${path}/alive`);
    if (alive?.ephemeralOwner !== this.client.sessionId) losses.push(`${path}/alive is gone`);
    return losses;
  }
}
