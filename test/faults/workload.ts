/** Clients that write, read and watch through whichever member answers, and keep what they saw. */
import { errorName } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { eventTypeName } from '../../src/protocol/watch-event.js';
import { type Arrival, RawClient, type RawSession } from '../conformance/support/raw-client.js';
import type { Arguments, OpName, Result, SeenStat } from '../history/format.js';
import { judge } from '../history/judge.js';
import { HistoryRecorder } from '../history/recorder.js';
import type { Random } from '../support/random.js';

const SESSION_TIMEOUT_MS = 4000;
/** A server that says nothing for so long is left for another. */
const PATIENCE_MS = 1500;
const PAUSE_MS = 20;
const EPHEMERAL = 1;
const ANY_VERSION = -1;
/** Errors that a server answers when it cannot say what became of a request. */
const UNSURE: ReadonlySet<string> = new Set(['CONNECTIONLOSS', 'OPERATIONTIMEOUT', 'SESSIONMOVED']);

interface Life {
  readonly process: string;
  readonly session: string;
  readonly watches: Set<string>;
  client: RawClient;
  lastZxid: bigint;
  /** Arrived after the last reply that was waited for. */
  late: Arrival[];
}

interface Request {
  readonly op: OpName;
  readonly type: number;
  readonly args: Arguments;
  readonly body: unknown;
}

export class Workload {
  readonly recorder = new HistoryRecorder(() => Math.round(performance.now()));
  /** Writes that were acknowledged. */
  acknowledged = 0;
  private isOver = false;
  private readonly ports: readonly number[];
  private readonly paths: readonly string[];

  constructor(ports: readonly number[], paths: readonly string[]) {
    this.ports = ports;
    this.paths = paths;
  }

  end(): void {
    this.isOver = true;
  }

  /** What cannot have happened, a sentence each. */
  problems(): string[] {
    return judge(this.recorder.history).map(({ property, message }) => `${property}: ${message}`);
  }

  /** Makes the znodes that the others work on. */
  async prepare(client: RawClient, value: string): Promise<void> {
    const life = newLife('opener', 'opener', client);
    this.recorder.initial([{ path: '/', data: '' }]);
    for (const path of this.paths) {
      await this.ask(life, create(path, value, 0));
    }
  }

  /** Reads all znodes after whatever was committed before. */
  async readAll(client: RawClient): Promise<void> {
    const life = newLife('end', 'end', client);
    for (const path of this.paths) {
      await this.ask(life, sync(path));
      await this.ask(life, getData(path, false));
    }
  }

  /** Works until `end`; one session after another where they expire. */
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
      // A session id of 0: it has expired.
      if (client.session.id === 0n) {
        this.recorder.mark(process, session, 'expired');
        return;
      }
      raw = client.session;
      life ??= newLife(process, session, client);
      life.client = client;
      this.recorder.mark(process, session, 'connected');
      if (await this.rearm(life)) await this.work(life, random);
      await client.drop();
      this.hear(life, Number.POSITIVE_INFINITY);
      this.recorder.mark(process, session, 'disconnected');
    }
  }

  private async work(life: Life, random: Random): Promise<void> {
    for (let count = 0; !this.isOver && !life.client.isClosed; count++) {
      const requests = this.choose(life, random, count);
      for (const request of requests) if (!(await this.ask(life, request))) return;
      // Sessions move from member to member.
      if (random.oneIn(200)) return;
    }
  }

  private choose({ session }: Life, random: Random, count: number): Request[] {
    const path = random.pick(this.paths);
    const own = `${random.pick(this.paths)}/${session}`;
    const data = `${session}:${count}:${random.below(1e6)}`;
    switch (random.below(12)) {
      case 0:
        return [create(own, data, EPHEMERAL)];
      case 1:
        return [{ op: 'delete', type: OpCode.delete, args: { path: own }, body: any(own) }];
      case 2:
        return [sync(path), getData(path, false)];
      case 3:
        return [getData(path, true)];
      case 4:
        return [getData(own, false)];
      case 5:
        return [getData(path, false)];
      case 6:
        return [setData(path, data, random.below(50))];
      default:
        return [random.oneIn(3) ? getData(path, false) : setData(path, data, ANY_VERSION)];
    }
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

  /** Another server knows nothing of the watches. */
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

  /** @returns whether an answer came: without one the connection is of no use any more */
  private async ask(life: Life, { op, type, args, body }: Request): Promise<boolean> {
    const { recorder } = this;
    const { client, process, session } = life;
    this.hear(life, 0);
    const id = recorder.invoke(process, session, op, args);
    const reply = await soon(client.call(type, body).catch(() => undefined));
    const name = reply === undefined ? 'CONNECTIONLOSS' : (errorName(reply.err) ?? `${reply.err}`);
    if (reply === undefined || UNSURE.has(name)) {
      recorder.unknown(id);
      return false;
    }
    this.hear(life, 1);
    if (reply.zxid > life.lastZxid) life.lastZxid = reply.zxid;
    // A refused write has no zxid of its own in the order of the others.
    const zxid = op === 'sync' ? undefined : reply.zxid;
    if (reply.err !== 0) {
      recorder.fail(id, name, type === OpCode.getData ? zxid : undefined);
      return name !== 'SESSIONEXPIRED';
    }
    if (args.watch === true) life.watches.add(args.path ?? '/');
    if (type !== OpCode.getData && type !== OpCode.sync) this.acknowledged++;
    recorder.ok(id, resultOf(reply.value), zxid);
    return true;
  }

  /** Records the events that arrived, up to so many replies. */
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
}

function newLife(process: string, session: string, client: RawClient): Life {
  return { process, session, client, watches: new Set(), lastZxid: 0n, late: [] };
}

function any(path: string): { path: string; version: number } {
  return { path, version: ANY_VERSION };
}

function create(path: string, data: string, flags: number): Request {
  const ephemeral = flags === EPHEMERAL;
  const body = { path, data: Buffer.from(data), acl: OPEN_ACL_UNSAFE, flags };
  return { op: 'create', type: OpCode.create, args: { path, data, ephemeral }, body };
}

function setData(path: string, data: string, version: number): Request {
  const body = { path, data: Buffer.from(data), version };
  return { op: 'setData', type: OpCode.setData, args: { path, data, version }, body };
}

function getData(path: string, watch: boolean): Request {
  return { op: 'getData', type: OpCode.getData, args: { path, watch }, body: { path, watch } };
}

function sync(path: string): Request {
  return { op: 'sync', type: OpCode.sync, args: { path }, body: { path } };
}

function resultOf(value: unknown): Result {
  const { path, data, stat } = (value ?? {}) as { path?: string; data?: Buffer; stat?: SeenStat };
  if (stat === undefined) return path === undefined ? {} : { path };
  const { czxid = 0n, mzxid = 0n, version = 0 } = stat;
  const seen = { stat: { czxid, mzxid, version } };
  return data === undefined ? seen : { ...seen, data: data.toString() };
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
