import { errorName } from '../../../src/protocol/error-code.js';
import { OpCode, opCodeName, Xid } from '../../../src/protocol/op-code.js';
import { eventTypeName } from '../../../src/protocol/watch-event.js';
import { describeBody, encodeOp, type Show } from './encode-op.js';
import { type Arrival, RawClient, type RawSession, type Reply } from './raw-client.js';
import type { Op, Reattach, Step } from './world.js';

/** One visible action of a server. */
export interface Line {
  readonly client: number;
  readonly text: string;
  /** The type of a reply. */
  readonly type?: number;
  readonly err?: number;
}

interface Slot {
  client: RawClient;
  /** Requests without a reply so far, in order. */
  readonly sent: Op[];
}

const HOUR_MS = 3_600_000n;

/** Plays the steps of a world on one server and returns its responses. */
export class WorldRunner {
  private readonly port: number;
  private readonly slots: Slot[] = [];
  /** Session ids in the order of their opening. */
  private readonly sessions = new Map<bigint, string>();
  private zxidAtStart = 0n;

  private constructor(port: number) {
    this.port = port;
  }

  /** Opens the clients, one after the other. */
  static async start(
    port: number,
    clients: number,
  ): Promise<{ runner: WorldRunner; lines: Line[] }> {
    const runner = new WorldRunner(port);
    const lines: Line[] = [];
    for (let client = 0; client < clients; client++) lines.push(...(await runner.open(client)));
    const reply = await runner.slot(0).client.ping();
    runner.slot(0).client.take();
    runner.zxidAtStart = reply?.zxid ?? 0n;
    lines.push({ client: 0, text: `starts at zxid ${runner.zxidAtStart}` });
    return { runner, lines };
  }

  /** Closes the sessions, so that they do not affect later worlds. */
  async finish(): Promise<void> {
    for (const { client } of this.slots) {
      if (client.isClosed) continue;
      await client.close();
    }
  }

  /** Drops the connections. Returns the sessions, which stay. */
  async abandon(): Promise<RawSession[]> {
    await Promise.all(this.slots.map(({ client }) => client.drop()));
    return this.slots.map(({ client }) => client.live);
  }

  async step(step: Step): Promise<Line[]> {
    switch (step.kind) {
      case 'requests':
        return this.requests(step.client, step.ops);
      case 'end':
        return [
          ...(await this.requests(step.client, [{ type: OpCode.closeSession }])),
          ...(await this.open(step.client)),
        ];
      case 'reattach':
        return this.reattach(step.client, step.how);
    }
  }

  private async requests(index: number, ops: readonly Op[]): Promise<Line[]> {
    const slot = this.slot(index);
    slot.sent.push(...ops);
    const { client } = slot;
    const replies = ops.map((op) => {
      const body = encodeOp(op, this.zxidAtStart);
      return op.type === OpCode.ping
        ? client.request(op.type, body, Xid.ping)
        : client.request(op.type, body);
    });
    await Promise.all(replies);
    const isLast = ops.some(({ type }) => type === OpCode.closeSession);
    // A server closes after such a response. Wait for it, or the next step may come first.
    if (isLast || (await closes(replies, ops))) await client.closed;
    const lines = await this.collect();
    if (client.isClosed && !isLast) lines.push(...(await this.comeBack(index)));
    return lines;
  }

  /** All responses and events. A ping on every connection flushes those in flight. */
  private async collect(): Promise<Line[]> {
    await Promise.all(this.slots.map(({ client }) => client.ping()));
    return this.slots.flatMap((slot, index) => {
      return slot.client.take().map((arrival) => this.describe(index, slot, arrival));
    });
  }

  private async open(index: number): Promise<Line[]> {
    const client = await RawClient.connect(this.port);
    this.slots[index] = { client, sent: [] };
    const name = `session ${this.sessions.size}`;
    if (client.session !== undefined) this.sessions.set(client.session.id, name);
    return [this.describeOpening(index, client)];
  }

  private async comeBack(index: number, changes: Partial<RawSession> = {}): Promise<Line[]> {
    const session = { ...this.slot(index).client.live, ...changes };
    const client = await RawClient.connect(this.port, { session });
    const line = this.describeOpening(index, client);
    if (client.session?.id === session.id) this.slots[index] = { client, sent: [] };
    else await client.closed;
    return [line];
  }

  private async reattach(index: number, how: Reattach): Promise<Line[]> {
    const { client } = this.slot(index);
    const lines: Line[] = [];
    if (how === 'from-the-future') {
      const options = { session: client.live, lastZxidSeen: 1n << 60n };
      const refused = await RawClient.connect(this.port, options);
      await refused.closed;
      lines.push(this.describeOpening(index, refused));
    }
    if (how !== 'takeover') await client.drop();
    if (how === 'wrong-password') {
      lines.push(...(await this.comeBack(index, { password: Buffer.alloc(16, 7) })));
    }
    lines.push(...(await this.comeBack(index)));
    await client.closed;
    return [...lines, ...(await this.collect())];
  }

  private slot(index: number): Slot {
    const slot = this.slots[index];
    if (slot === undefined) throw new Error(`no client ${index}`);
    return slot;
  }

  private describeOpening(client: number, raw: RawClient): Line {
    const { session, handshake } = raw;
    if (session === undefined || handshake === undefined) {
      return { client, text: 'refused without a response' };
    }
    const name = session.id === 0n ? 'none' : this.sessions.get(session.id);
    const text = `session ${name}, timeout ${session.timeoutMs}, password of ${session.password.length} bytes, ${handshake.length} bytes`;
    return { client, text };
  }

  private describe(client: number, slot: Slot, arrival: Arrival): Line {
    if (arrival.kind === 'closed') return { client, text: 'closed' };
    if (arrival.kind === 'event') {
      // The header's zxid is -1 up to 3.8 and the txn's since 3.9.0, so it is omitted.
      const { type, state, path } = arrival;
      return { client, text: `event ${eventTypeName(type) ?? type} ${state} ${shownPath(path)}` };
    }
    const op = slot.sent.shift();
    return this.describeReply(client, op ?? { type: OpCode.ping }, arrival);
  }

  private describeReply(client: number, { type }: Op, { xid, zxid, err, body }: Reply): Line {
    const isGood = err === 0;
    const shown = isGood ? describeBody(type, body, this.show) : body.toString('hex');
    const result = isGood ? 'ok' : (errorName(err) ?? err);
    const text = `${opCodeName(type)} #${xid} at ${zxid}: ${result} ${shown}`;
    return { client, text, type, err };
  }

  /** Times and session ids differ between servers. */
  private readonly show: Show = (key, value) => {
    if (typeof value !== 'bigint') return value;
    if (key === 'ctime' || key === 'mtime') {
      const age = BigInt(Date.now()) - value;
      return value === 0n || age < -HOUR_MS || age > HOUR_MS ? value : 'now';
    }
    if (key === 'ephemeralOwner') return this.sessions.get(value) ?? value;
    return value;
  };
}

const CLOSING_ERRORS: ReadonlySet<number> = new Set([OpCode.auth]);

/** Whether one of the replies announces that the server closes the connection. */
async function closes(
  replies: readonly Promise<Reply | undefined>[],
  ops: readonly Op[],
): Promise<boolean> {
  const all = await Promise.all(replies);
  return all.some((reply, i) => {
    if (reply === undefined) return true;
    const type = ops[i]?.type ?? 0;
    return reply.zxid === -1n || (reply.err !== 0 && CLOSING_ERRORS.has(type));
  });
}

/** Escapes control characters in the report. */
function shownPath(path: string): string {
  return JSON.stringify(path);
}
