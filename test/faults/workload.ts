/** Clients that write and read through whichever member answers, and keep what they saw. */
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { RawClient, type RawSession } from '../conformance/support/raw-client.js';
import type { Random } from '../support/random.js';
import type { Seen } from './history.js';

const SESSION_TIMEOUT_MS = 4000;
/** A server that says nothing for so long is left for another. */
const PATIENCE_MS = 1500;
const PAUSE_MS = 20;

interface StatValue {
  readonly mzxid: bigint;
  readonly version: number;
}

export class Workload {
  readonly history: Seen[] = [];
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

  /** Works until `end`; one session after another where they expire. */
  async run(name: string, random: Random): Promise<void> {
    for (let life = 0; !this.isOver; life++) await this.live(`${name}.${life}`, random);
  }

  private async live(name: string, random: Random): Promise<void> {
    let session: RawSession | undefined;
    let lastZxidSeen = 0n;
    for (let writes = 0; !this.isOver; ) {
      const client = await this.connect(random, session, lastZxidSeen);
      if (client === undefined) continue;
      if (client.session === undefined) {
        await pause();
        continue;
      }
      // A session id of 0: it has expired.
      if (client.session.id === 0n) return;
      session = client.session;
      while (!this.isOver && !client.isClosed) {
        const path = random.pick(this.paths);
        const zxid = random.oneIn(2)
          ? await this.write(client, name, path, `${name}:${writes++}`)
          : await this.read(client, name, path);
        if (zxid === undefined) break;
        lastZxidSeen = zxid;
        // Sessions move from member to member.
        if (random.oneIn(200)) break;
      }
      await client.drop();
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

  /** Returns the zxid of the reply; undefined when the connection is of no use any more. */
  private async write(
    client: RawClient,
    session: string,
    path: string,
    value: string,
  ): Promise<bigint | undefined> {
    const startedMs = performance.now();
    const asked = { path, data: Buffer.from(value), version: -1 };
    const reply = await soon(client.call(OpCode.setData, asked).catch(() => undefined));
    const endedMs = performance.now();
    const isDone = reply?.err === ErrorCode.OK;
    const stat = (reply?.value as { stat: StatValue } | undefined)?.stat;
    const done = isDone && stat ? { zxid: stat.mzxid, version: stat.version } : null;
    this.history.push({ kind: 'write', session, path, value, startedMs, endedMs, done });
    if (done !== null) this.acknowledged++;
    return isDone ? reply.zxid : undefined;
  }

  private async read(
    client: RawClient,
    session: string,
    path: string,
  ): Promise<bigint | undefined> {
    const startedMs = performance.now();
    const seen = await readNode(client, session, path, startedMs);
    if (seen === undefined) return undefined;
    this.history.push(seen);
    return seen.kind === 'read' ? seen.zxid : undefined;
  }
}

/** Reads one znode; undefined when no answer came. */
export async function readNode(
  client: RawClient,
  session: string,
  path: string,
  startedMs: number,
): Promise<Extract<Seen, { kind: 'read' }> | undefined> {
  const asked = { path, watch: false };
  const reply = await soon(client.call(OpCode.getData, asked).catch(() => undefined));
  if (reply?.err !== ErrorCode.OK) return undefined;
  const { data, stat } = reply.value as { data: Buffer; stat: StatValue };
  return {
    kind: 'read',
    session,
    path,
    value: data.toString(),
    startedMs,
    endedMs: performance.now(),
    zxid: reply.zxid,
    mzxid: stat.mzxid,
    version: stat.version,
  };
}

/** Reads them all behind whatever was committed before; only those that were answered. */
export async function readAllNodes(
  client: RawClient,
  paths: readonly string[],
): Promise<Map<string, Extract<Seen, { kind: 'read' }>>> {
  const found = new Map<string, Extract<Seen, { kind: 'read' }>>();
  await client.call(OpCode.sync, { path: '/' });
  for (const path of paths) {
    const seen = await readNode(client, 'end', path, performance.now());
    if (seen !== undefined) found.set(path, seen);
  }
  return found;
}

/** Makes the znodes, each with the same first value; returns the zxid of the last. */
export async function makeNodes(
  client: RawClient,
  paths: readonly string[],
  value: string,
): Promise<bigint> {
  let last = 0n;
  for (const path of paths) {
    const asked = { path, data: Buffer.from(value), acl: OPEN_ACL_UNSAFE, flags: 0 };
    const { err, zxid } = await client.call(OpCode.create, asked);
    if (err !== ErrorCode.OK) throw new Error(`${path} was not made: ${err}`);
    last = zxid;
  }
  return last;
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
