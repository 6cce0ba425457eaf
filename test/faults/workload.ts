/** Clients that write, read, and watch through any member that answers, and record results. */
import { errorName } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { eventTypeName } from '../../src/protocol/watch-event.js';
import { type Arrival, RawClient, type RawSession } from '../conformance/support/raw-client.js';
import { judge } from '../history/judge.js';
import { HistoryRecorder } from '../history/recorder.js';
import { Flags } from '../sim/clients/requests.js';
import type { Random } from '../support/random.js';
import { LockWork } from './lock-work.js';
import {
  type Answer,
  type Asker,
  check,
  create,
  getData,
  multi,
  type PartRequest,
  type Request,
  readReply,
  remove,
  setData,
  sync,
} from './requests.js';

const SESSION_TIMEOUT_MS = 4000;
/** A client leaves a server that is silent for this long. */
const PATIENCE_MS = 1500;
const PAUSE_MS = 20;
/** Errors that leave the outcome of a request unknown. */
const UNSURE: ReadonlySet<string> = new Set(['CONNECTIONLOSS', 'OPERATIONTIMEOUT', 'SESSIONMOVED']);
const READS: ReadonlySet<string> = new Set(['getData', 'getChildren']);

interface Life extends Asker {
  readonly watches: Set<string>;
  /** The last versions that the session saw. */
  readonly versions: Map<string, number>;
  client: RawClient;
  lastZxid: bigint;
  /** Events after the last awaited reply. */
  late: Arrival[];
}

export class Workload {
  readonly recorder = new HistoryRecorder(() => Math.round(performance.now()));
  /** The number of acknowledged writes. */
  acknowledged = 0;
  private isOver = false;
  private readonly ports: readonly number[];
  private readonly paths: readonly string[];
  private readonly locks = new LockWork(this.recorder, SESSION_TIMEOUT_MS);

  private readonly hasSyncs: boolean;

  /** @param hasSyncs false under Apache's leaders: one that is deposed still answers a sync */
  constructor(ports: readonly number[], paths: readonly string[], hasSyncs = true) {
    this.ports = ports;
    this.paths = paths;
    this.hasSyncs = hasSyncs;
  }

  end(): void {
    this.isOver = true;
  }

  /** Violations, one sentence each. */
  problems(): string[] {
    return judge(this.recorder.history).map(({ property, message }) => `${property}: ${message}`);
  }

  /** Creates the znodes for the other clients, also if members lose their leader meanwhile. */
  async prepare(open: () => Promise<RawClient>, value: string): Promise<void> {
    this.recorder.initial([{ path: '/', data: '' }]);
    const missing = [...this.paths];
    for (let count = 0; missing.length > 0; count++) {
      const client = await open();
      const life = this.newLife(`opener${count}`, `opener${count}`, client);
      for (let [path] = missing; path !== undefined; [path] = missing) {
        if ((await life.ask(create(path, value))) === undefined) break;
        missing.shift();
      }
      await (missing.length === 0 ? client.close() : client.drop());
    }
  }

  /** Reads all znodes after all earlier commits. */
  async readAll(client: RawClient): Promise<void> {
    const life = this.newLife('end', 'end', client);
    for (const path of this.paths) {
      await life.ask(sync(path));
      await life.ask(getData(path));
    }
  }

  /** Works until `end`, with a new session whenever one expires. */
  async run(name: string, random: Random): Promise<void> {
    for (let count = 0; !this.isOver; count++) await this.live(name, `${name}.${count}`, random);
  }

  private async live(process: string, session: string, random: Random): Promise<void> {
    let raw: RawSession | undefined;
    let life: Life | undefined;
    while (!this.isOver) {
      const client = await this.connect(random, raw, life?.lastZxid ?? 0n);
      if (client === undefined) continue;
      if (client.session === undefined) {
        await pause();
        continue;
      }
      // A session id of 0 means that the session has expired.
      if (client.session.id === 0n) {
        this.recorder.mark(process, session, 'expired');
        return;
      }
      raw = client.session;
      life ??= this.newLife(process, session, client);
      life.client = client;
      this.recorder.mark(process, session, 'connected');
      const isFit = (await this.rearm(life)) && (await this.locks.tidy(life));
      const isOver = isFit && (await this.work(life, random));
      await client.drop();
      if (isOver) return;
      this.hear(life, Number.POSITIVE_INFINITY);
      this.recorder.mark(process, session, 'disconnected');
    }
  }

  /** @returns whether the client closed the session */
  private async work(life: Life, random: Random): Promise<boolean> {
    for (let count = 0; !this.isOver && !life.client.isClosed; count++) {
      if (random.oneIn(40)) {
        const end = await this.locks.turn(life, random);
        if (end !== 'kept') return end === 'closed';
      }
      const requests = this.choose(life, random, count);
      for (const request of requests) if ((await life.ask(request)) === undefined) return false;
      // Sessions move from member to member.
      if (random.oneIn(200)) return false;
    }
    return false;
  }

  private choose(life: Life, random: Random, count: number): Request[] {
    const path = random.pick(this.paths);
    const own = `${random.pick(this.paths)}/${life.session}`;
    const data = `${life.session}:${count}:${random.below(1e6)}`;
    switch (random.below(14)) {
      case 0:
        return [create(own, data, Flags.ephemeral)];
      case 1:
        return [remove(own)];
      case 2:
        return this.hasSyncs ? [sync(path), getData(path)] : [getData(path)];
      case 3:
        return [getData(path, true)];
      case 4:
        return [getData(own)];
      case 5:
        return [getData(path)];
      case 6:
        return [setData(path, data, random.below(50))];
      case 7:
      case 8:
        return [multi(this.parts(life, random, own, data))];
      default:
        return [random.oneIn(3) ? getData(path) : setData(path, data)];
    }
  }

  /** Two writes and a condition. If the condition fails, no write may have an effect. */
  private parts(life: Life, random: Random, own: string, data: string): PartRequest[] {
    const [first = '/', second = '/', third = '/'] = shuffled(this.paths, random);
    const conditions = [
      check(third, life.versions.get(third) ?? 0),
      create(own, data, Flags.ephemeral),
      remove(own),
    ];
    const writes = [setData(first, data), setData(second, data)];
    const condition = random.pick(conditions);
    return random.oneIn(4) ? writes : writes.toSpliced(random.below(3), 0, condition);
  }

  private async connect(
    random: Random,
    session: RawSession | undefined,
    lastZxidSeen: bigint,
  ): Promise<RawClient | undefined> {
    const options = {
      lastZxidSeen,
      timeoutMs: SESSION_TIMEOUT_MS,
      ...(session === undefined ? {} : { session }),
    };
    const connecting = RawClient.connect(random.pick(this.ports), options);
    const client = await soon(connecting);
    if (client === undefined) connecting.then((late) => late.drop()).catch(() => undefined);
    return client;
  }

  /** Another server does not know the watches. */
  private async rearm(life: Life): Promise<boolean> {
    life.late = [];
    if (life.watches.size === 0) return true;
    const lists = { dataWatches: [...life.watches], existWatches: [], childWatches: [] };
    const asked = { relativeZxid: life.lastZxid, ...lists };
    const reply = await soon(life.client.call(OpCode.setWatches, asked).catch(() => undefined));
    if (reply === undefined) return false;
    this.hear(life, 1);
    return true;
  }

  /** @returns undefined if the connection no longer works */
  private async ask(life: Life, { op, type, args, body }: Request): Promise<Answer | undefined> {
    const { recorder } = this;
    const { client, process, session } = life;
    this.hear(life, 0);
    const id = recorder.invoke(process, session, op, args);
    const reply = await soon(client.request(type, body));
    const refusal = reply === undefined ? 'CONNECTIONLOSS' : nameOf(reply.err);
    if (reply === undefined || UNSURE.has(refusal ?? '')) {
      recorder.unknown(id);
      return undefined;
    }
    this.hear(life, 1);
    if (reply.zxid > life.lastZxid) life.lastZxid = reply.zxid;
    const said = refusal === undefined ? readReply(type, reply.body) : { result: {} };
    const { error = refusal, result } = said;
    const isRead = READS.has(op);
    // A refused write has no zxid in the order of the other writes.
    const zxid = isRead || (op !== 'sync' && error === undefined) ? reply.zxid : undefined;
    if (error !== undefined) {
      recorder.fail(id, error, zxid, result);
      return error === 'SESSIONEXPIRED' ? undefined : { error, result, zxid: reply.zxid };
    }
    const { path = '/' } = args;
    if (args.watch === true) life.watches.add(path);
    if (result.stat?.version !== undefined) life.versions.set(path, result.stat.version);
    if (!isRead && op !== 'sync') this.acknowledged++;
    recorder.ok(id, result, zxid);
    return { result, zxid: reply.zxid };
  }

  /** Records the events that arrived before the given number of replies. */
  private hear(life: Life, replies: number): void {
    life.late.push(...life.client.take());
    let left = replies;
    for (let next = life.late[0]; next !== undefined; next = life.late[0]) {
      if (next.kind === 'reply' && left === 0) return;
      life.late.shift();
      if (next.kind === 'reply' && --left === 0) return;
      if (next.kind !== 'event') continue;
      life.watches.delete(next.path);
      const type = eventTypeName(next.type) ?? `${next.type}`;
      this.recorder.event(life.process, life.session, type, next.path, next.zxid);
    }
  }

  private newLife(process: string, session: string, client: RawClient): Life {
    const life: Life = {
      process,
      session,
      client,
      watches: new Set(),
      versions: new Map(),
      lastZxid: 0n,
      late: [],
      ask: (request) => this.ask(life, request),
    };
    return life;
  }
}

function nameOf(err: number): string | undefined {
  return err === 0 ? undefined : (errorName(err) ?? `${err}`);
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, place: random.below(1e6) }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

async function soon<T>(promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, undefined);
  });
  const first = await Promise.race([promise, late]);
  clearTimeout(timer);
  return first;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
