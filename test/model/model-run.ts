/**
 * Runs commands against the real server and the model side by side. After each command they must
 * agree: on proposed txns and their digests, on replies, tree, and digest after a commit, and at
 * the end on the tree after a replay of the log.
 */
import * as assert from 'uvu/assert';
import { readTxn, type TxnEntry } from '../../src/files/txn.js';
import { RECORD_PREFIX_SIZE } from '../../src/files/txn-log.js';
import { FrameDecoder } from '../../src/jute/frame-decoder.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { exactContentOf } from '../../src/server/persistence/snapshot-source.js';
import type { Server } from '../../src/server/server.js';
import type { DataTree } from '../../src/server/tree/data-tree.js';
import { makeTestServer, SETTINGS } from '../server/server-world.js';
import { CLIENTS, type Command, type Run } from './commands.js';
import { compareCompaction } from './compare-compaction.js';
import { type Asked, ModelClient } from './model-client.js';
import { NaivePrep, NEVER_USED_MS } from './naive-prep.js';
import { siblingsInOrder } from './naive-rules.js';
import { bodyOf, connectFrame, existsBody, frameOf, type Op } from './operations.js';
import { writeReply } from './replies.js';
import { dumpOf, seedModel, seedServer } from './seeds.js';

const TIMEOUT_MS = 5000;

/** A pending proposal: the model's result and the waiting client. */
interface Proposal extends TxnEntry {
  readonly asked: Asked | null;
  readonly digest: bigint | null;
}

export class ModelRun {
  private readonly server: Server;
  private readonly tree: DataTree;
  private readonly committed = seedModel();
  private readonly proposed = seedModel();
  private readonly prep = new NaivePrep(this.proposed, this.committed);
  private readonly clients: ModelClient[] = [];
  private readonly connections = new Map<number, ModelClient>();
  private readonly proposals: Proposal[] = [];
  private readonly log: Buffer[] = [];
  private readonly firstZxid: bigint;
  private lastZxid: bigint;
  private wallMs = 1_800_000_000_000;
  private monotonicMs = 0;

  constructor(zxid: bigint) {
    this.firstZxid = zxid;
    this.lastZxid = zxid;
    const { tree } = seedServer(zxid);
    this.tree = tree;
    const settings = { ...SETTINGS, isTTLEnabled: true, isKeeperDialect: true };
    this.server = makeTestServer(
      settings,
      { tree, sessions: [] },
      {
        isQuotaEnforced: true,
        containers: { checkIntervalMs: 1000, maxPerMinute: 60_000, maxNeverUsedMs: NEVER_USED_MS },
      },
    );
    this.step({ kind: 'clock', wallMs: this.wallMs, monotonicMs: 0 });
    for (let i = 0; i < CLIENTS; i++) {
      this.clients.push(new ModelClient());
      this.connect(i);
    }
  }

  static execute({ zxid, commands }: Run): void {
    const run = new ModelRun(zxid);
    for (const command of commands) run.perform(command);
    run.finish();
  }

  perform(command: Command): void {
    switch (command.kind) {
      case 'ask':
        this.ask(command);
        break;
      case 'read':
        this.read(command.client, command.path);
        break;
      case 'commit':
        this.commit(command.count, command.isAtOnce);
        break;
      case 'close':
        this.close(command.client);
        break;
      case 'leave':
        this.leave(command.client);
        break;
      case 'connect':
        this.connect(command.client);
        break;
      case 'wait':
        this.wait(command.ms);
    }
  }

  /** Everything is committed, every session ends, and the log is replayed. */
  finish(): void {
    this.commitAll();
    this.wait(30_000);
    this.commitAll();
    this.compareTrees();
    assert.is(this.server.state.prep.outstanding.size, 0, 'nothing is outstanding at the end');
    this.compareReplay();
    compareCompaction(seedServer(this.firstZxid), this.log, exactContentOf(this.server.state));
  }

  // ── what clients do ──────────────────────────────────────────────────────────────────────────

  private connect(index: number): void {
    const client = this.client(index);
    if (client.connection !== 0) return;
    this.commitAll();
    client.connection = this.connections.size + 1;
    this.connections.set(client.connection, client);
    const { connection } = client;
    client.decoder = new FrameDecoder(1 << 20, (bytes, start, end) =>
      client.received(Buffer.from(bytes.subarray(start, end))),
    );
    this.step({ kind: 'connected', connection, remoteIp: '127.0.0.1', remotePort: 4000 });
    const made = this.step({ kind: 'received', connection, bytes: connectFrame(TIMEOUT_MS) });
    const [entry] = made;
    assert.is(made.length, 1, 'one txn opens a session');
    if (entry === undefined) return;
    this.expectTxn(entry, { type: OpCode.createSession, timeoutMs: TIMEOUT_MS });
    client.opened(entry.head.sessionId);
    this.commitAll();
  }

  private ask({ client: index, op }: Extract<Command, { kind: 'ask' }>): void {
    const client = this.client(index);
    if (client.connection === 0) return;
    const asked = client.asks(op);
    const frame = frameOf(asked.xid, op.type, bodyOf(op));
    const [entry, ...more] = this.receive(client, frame);
    assert.ok(entry !== undefined && more.length === 0, 'a request becomes one txn');
    const txn = client.isClosing
      ? ({ type: OpCode.error, err: ErrorCode.SESSIONEXPIRED } as const)
      : this.prep.prepare(op, entry.head);
    this.expectTxn(entry, txn, asked);
  }

  private read(index: number, path: string): void {
    const client = this.client(index);
    if (client.connection === 0 || client.isClosing) return;
    const asked = client.asks();
    client.reads(asked, path);
    client.answerReads(this.committed);
    this.receive(client, frameOf(asked.xid, OpCode.exists, existsBody(path)));
    client.compare();
  }

  private close(index: number): void {
    const client = this.client(index);
    if (client.connection === 0 || client.isClosing) return;
    const asked = client.asks();
    const frame = frameOf(asked.xid, OpCode.closeSession, Buffer.alloc(0));
    const [entry] = this.receive(client, frame);
    assert.ok(entry !== undefined, 'a close becomes a txn');
    client.isClosing = true;
    this.expectTxn(entry, this.prep.close(entry.head), asked);
  }

  private leave(index: number): void {
    const client = this.client(index);
    if (client.connection === 0) return;
    this.step({ kind: 'disconnected', connection: client.connection });
    client.left();
  }

  private wait(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
    const { wallMs, monotonicMs } = this;
    const now = BigInt(wallMs);
    const candidates = this.prep.candidates(now);
    const nextDue = (): string | undefined => {
      let path = candidates.shift();
      while (path !== undefined && !this.prep.isStillDue(path, now)) path = candidates.shift();
      return path;
    };
    for (const entry of this.step({ kind: 'clock', wallMs, monotonicMs })) {
      const { head, txn } = entry;
      if (txn.type === OpCode.closeSession) {
        const client = this.clients.find(({ session }) => session === head.sessionId);
        if (client !== undefined) client.isClosing = true;
        this.expectTxn(entry, this.prep.close(head));
        continue;
      }
      const path = nextDue();
      assert.ok(path !== undefined, 'only due znodes are deleted');
      this.expectTxn(entry, this.prep.reap(path, head));
    }
    assert.is(nextDue(), undefined, 'all that is due is reaped');
  }

  private receive(client: ModelClient, bytes: Buffer): TxnEntry[] {
    return this.step({ kind: 'received', connection: client.connection, bytes });
  }

  private client(index: number): ModelClient {
    return this.clients[index] as ModelClient;
  }

  // ── proposals and commits ────────────────────────────────────────────────────────────────────

  private expectTxn(entry: TxnEntry, txn: TxnEntry['txn'], asked: Asked | null = null): void {
    const { head } = entry;
    this.lastZxid++;
    assert.is(head.zxid, this.lastZxid, 'zxids have no gap');
    assert.is(head.time, BigInt(this.wallMs));
    const op = asked?.op;
    assert.equal(inOrder(entry.txn, op), inOrder(txn, op), 'the txn is the model’s');
    const digest = this.proposed.digest();
    if (entry.digest !== null) assert.is(entry.digest, digest, 'the digest of the txn');
    else assert.is(txn.type, OpCode.error, 'only errors carry no digest');
    this.proposals.push({ ...entry, digest, asked });
  }

  private commitAll(): void {
    if (this.proposals.length > 0) this.commit(this.proposals.length, false);
  }

  private commit(count: number, isAtOnce: boolean): void {
    const batch = this.proposals.splice(0, count);
    for (const proposal of batch) this.commitInModel(proposal);
    this.prep.committedZxid = batch.at(-1)?.head.zxid ?? this.prep.committedZxid;
    const acks = isAtOnce ? batch.slice(-1) : batch;
    for (const { head } of acks) this.step({ kind: 'ack', zxid: head.zxid });
    for (const client of this.connections.values()) client.compare();
    const last = batch.at(-1);
    if (last === undefined) return;
    assert.is(this.tree.lastProcessedZxid, last.head.zxid);
    assert.is(this.tree.digest.value, this.committed.digest(), 'the digest of the tree');
    this.compareTrees();
  }

  private commitInModel({ head, txn, asked }: Proposal): void {
    const reply = writeReply(this.committed, head, txn, asked?.op);
    if (asked === null) {
      const gone = this.clients.find(({ session }) => session === head.sessionId);
      if (txn.type === OpCode.closeSession) gone?.left();
      return;
    }
    asked.reply = { xid: asked.xid, ...reply };
    asked.client.answerReads(this.committed);
    if (txn.type === OpCode.closeSession) asked.client.left();
  }

  private compareTrees(): void {
    assert.equal(dumpOf(this.tree), this.committed.dump(), 'the trees are alike');
  }

  /** A second server that replays the log has the same tree, and agrees with every digest. */
  private compareReplay(): void {
    const replica = seedServer(this.firstZxid);
    for (const entry of this.log) replica.replay(entry);
    assert.is(replica.digestMismatches, 0, 'a replay of the log agrees with its digests');
    assert.equal(dumpOf(replica.tree), dumpOf(this.tree), 'a replay of the log gives the tree');
    assert.is(replica.tree.digest.value, this.tree.digest.value);
  }

  // ── the server ───────────────────────────────────────────────────────────────────────────────

  /** Steps and drains. @returns the txns that it proposed */
  private step(event: Parameters<Server['step']>[0]): TxnEntry[] {
    this.server.step(event);
    const proposed: TxnEntry[] = [];
    for (const effect of this.server.drain()) {
      if (effect.kind === 'send') this.connections.get(effect.connection)?.decode(effect.bytes);
      else if (effect.kind === 'append') proposed.push(...this.readAppend(effect.bytes));
    }
    return proposed;
  }

  private readAppend(bytes: Buffer): TxnEntry[] {
    const entries: TxnEntry[] = [];
    for (let at = 0; at < bytes.length; ) {
      const start = at + RECORD_PREFIX_SIZE;
      const end = start + bytes.readInt32BE(start - 4);
      const entry = Buffer.from(bytes.subarray(start, end));
      this.log.push(entry);
      entries.push(readTxn(entry));
      at = end + 1;
    }
    return entries;
  }
}

/** The order of paths in a close does not matter. */
function inOrder(txn: TxnEntry['txn'], op: Op | undefined): unknown {
  if (txn.type === OpCode.closeSession) return { ...txn, paths: [...(txn.paths ?? [])].sort() };
  return siblingsInOrder(txn, op);
}
