import { createHash } from 'node:crypto';
import { parseWhitelist } from '../../src/fourlw/whitelist.js';
import { FrameDecoder } from '../../src/jute/frame-decoder.js';
import { InputArchive } from '../../src/jute/input-archive.js';
import { OutputArchive } from '../../src/jute/output-archive.js';
import { errorName } from '../../src/protocol/error-code.js';
import { OpCode, Xid } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { ReplyHeader, WatcherEvent } from '../../src/protocol/proto.js';
import { REQUESTS } from '../../src/protocol/requests.js';
import { eventTypeName } from '../../src/protocol/watch-event.js';
import type { Effect } from '../../src/server/effects.js';
import { Database } from '../../src/server/persistence/replay.js';
import { ContainerManager } from '../../src/server/pipeline/container-manager.js';
import { Prep } from '../../src/server/pipeline/prep.js';
import { Server } from '../../src/server/server.js';
import { type ServerSettings, ServerState } from '../../src/server/server-state.js';
import { Auth } from '../../src/server/session/auth.js';
import { SessionTracker } from '../../src/server/session/session-tracker.js';
import { StandaloneView } from '../../src/server/view.js';

type Append = Extract<Effect, { kind: 'append' }>;

const TICK_MS = 1000;
const SETTINGS: ServerSettings = {
  serverId: 0,
  tickTimeMs: TICK_MS,
  minSessionTimeoutMs: 2 * TICK_MS,
  maxSessionTimeoutMs: 20 * TICK_MS,
  maxFrameLength: 4096,
  globalOutstandingLimit: 1000,
  snapCount: 100_000,
  snapSize: 0,
  isTTLEnabled: false,
  sessionlessTimeoutMs: 10 * TICK_MS,
};

export interface WorldOptions {
  readonly settings?: Partial<ServerSettings>;
  readonly maxClientCnxns?: number;
  readonly maxCnxns?: number;
  readonly whitelist?: string;
}

/**
 * A server without sockets, disk or clock: events go in, and what comes out waits to be looked at.
 * Nothing is durable before `ack` says so.
 */
export class ServerWorld {
  readonly server: Server;
  /** All effects drained so far. */
  readonly effects: Effect[] = [];
  /** Appends that no ack has answered yet. */
  readonly appends: Append[] = [];
  private readonly peers = new Map<number, Peer>();
  private wallMs = 1_800_000_000_000;
  private monotonicMs = 0;

  constructor(options: WorldOptions = {}) {
    this.server = makeServer({ ...SETTINGS, ...options.settings }, options);
    this.clock(0);
  }

  /** Lets time pass. */
  clock(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
    this.server.step({ kind: 'clock', wallMs: this.wallMs, monotonicMs: this.monotonicMs });
    this.drain();
  }

  connect(remoteIp = '127.0.0.1'): Peer {
    const id = this.peers.size + 1;
    const peer = new Peer(this, id);
    this.peers.set(id, peer);
    this.server.step({ kind: 'connected', connection: id, remoteIp, remotePort: 40_000 + id });
    this.drain();
    return peer;
  }

  /** A client with a session. */
  client(options: HandshakeOptions = {}): Peer {
    const peer = this.connect();
    peer.push(handshake(options));
    this.ackAll();
    peer.take();
    return peer;
  }

  /** The oldest append is durable. */
  ack(): void {
    const append = this.appends.shift();
    if (append === undefined) throw new Error('no append waits for its ack');
    this.server.step(append.whenDurable);
    this.drain();
  }

  ackAll(): void {
    while (this.appends.length > 0) this.ack();
  }

  drain(): readonly Effect[] {
    const effects = this.server.drain();
    for (const effect of effects) this.perform(effect);
    return effects;
  }

  private perform(effect: Effect): void {
    this.effects.push(effect);
    switch (effect.kind) {
      case 'append':
        this.appends.push(effect);
        break;
      case 'send':
        this.peers.get(effect.connection)?.received(effect.bytes);
        break;
      case 'close':
        this.peers.get(effect.connection)?.wasClosed();
        break;
      case 'pause':
      case 'resume':
        this.peers.get(effect.connection)?.wasHeld(effect.kind === 'pause');
        break;
      case 'snapshot':
        break;
    }
  }
}

/** The other end of a connection. */
export class Peer {
  readonly id: number;
  isClosed = false;
  isPaused = false;
  /** Everything received, as bytes. */
  bytes = Buffer.alloc(0);
  /** How many writes it came in. */
  writes = 0;
  /** The body of the connect response. */
  session: Buffer | undefined;
  private readonly world: ServerWorld;
  private readonly sent: { readonly xid: number; readonly type: number }[] = [];
  private lines: string[] = [];
  private lastXid = 0;
  private readonly decoder = new FrameDecoder(1 << 24, (bytes, start, end) =>
    this.onFrame(Buffer.from(bytes.subarray(start, end))),
  );

  constructor(world: ServerWorld, id: number) {
    this.world = world;
    this.id = id;
  }

  /** Sends bytes, without looking at what comes of it. */
  step(bytes: Buffer): void {
    this.world.server.step({ kind: 'received', connection: this.id, bytes });
  }

  /** Sends bytes and drains. */
  push(bytes: Buffer): void {
    this.step(bytes);
    this.world.drain();
  }

  leave(): void {
    this.isClosed = true;
    this.world.server.step({ kind: 'disconnected', connection: this.id });
    this.world.drain();
  }

  /** The frame of a request, noted so that its reply is understood. */
  request(type: number, value: unknown = {}, xid = ++this.lastXid): Buffer {
    this.sent.push({ xid, type });
    return requestFrame(xid, type, REQUESTS.get(type)?.request.encode(value));
  }

  /** A request whose record is missing. */
  bare(type: number): Buffer {
    const xid = ++this.lastXid;
    this.sent.push({ xid, type });
    return requestFrame(xid, type);
  }

  ping(): Buffer {
    return this.request(OpCode.ping, {}, Xid.ping);
  }

  create(path: string, flags = 0): Buffer {
    return this.request(OpCode.create, { path, data: null, acl: OPEN_ACL_UNSAFE, flags });
  }

  setData(path: string, version = -1): Buffer {
    return this.request(OpCode.setData, { path, data: Buffer.from('x'), version });
  }

  getData(path: string, watch = false): Buffer {
    return this.request(OpCode.getData, { path, watch });
  }

  exists(path: string, watch = false): Buffer {
    return this.request(OpCode.exists, { path, watch });
  }

  /** What was understood since the last time: "create ok", "event NodeCreated /a". */
  take(): string[] {
    const { lines } = this;
    this.lines = [];
    return lines;
  }

  get sessionId(): bigint {
    return this.session?.readBigInt64BE(8) ?? 0n;
  }

  get password(): Buffer {
    return this.session?.subarray(20, 36) ?? Buffer.alloc(16);
  }

  get timeoutMs(): number {
    return this.session?.readInt32BE(4) ?? 0;
  }

  received(bytes: Buffer): void {
    this.writes++;
    this.bytes = Buffer.concat([this.bytes, bytes]);
    // Text is the answer to a word: no frame starts with letters.
    if (this.session !== undefined || bytes.readInt32BE(0) < 100) this.decoder.push(bytes);
  }

  wasClosed(): void {
    this.isClosed = true;
    this.lines.push('closed');
  }

  wasHeld(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  private onFrame(frame: Buffer): void {
    if (this.session === undefined) {
      this.session = frame;
      this.lines.push(this.sessionId === 0n ? 'expired' : 'connected');
      return;
    }
    const input = new InputArchive(frame);
    const { xid, zxid, err } = ReplyHeader.read(input);
    if (xid === Xid.notification) {
      const { type, path } = WatcherEvent.read(input);
      this.lines.push(`event ${eventTypeName(type)} ${path} at ${zxid}`);
      return;
    }
    const sent = this.sent.shift();
    const name = Object.entries(OpCode).find(([, code]) => code === sent?.type)?.[0] ?? sent?.type;
    if (sent?.xid !== xid) throw new Error(`expected a reply to ${sent?.xid}, found ${xid}`);
    this.lines.push(`${name} ${err === 0 ? 'ok' : errorName(err)}`);
  }
}

export interface HandshakeOptions {
  readonly timeoutMs?: number;
  readonly sessionId?: bigint;
  readonly password?: Buffer;
  readonly lastZxidSeen?: bigint;
  readonly hasReadOnlyByte?: boolean;
}

/** The frame of a connect request. */
export function handshake(options: HandshakeOptions = {}): Buffer {
  const out = new OutputArchive();
  out.writeInt(0);
  out.writeLong(options.lastZxidSeen ?? 0n);
  out.writeInt(options.timeoutMs ?? 5000);
  out.writeLong(options.sessionId ?? 0n);
  out.writeBuffer(options.password ?? Buffer.alloc(16));
  if (options.hasReadOnlyByte !== false) out.writeBool(false);
  return framed(out.take());
}

export function requestFrame(xid: number, type: number, body?: Buffer): Buffer {
  const out = new OutputArchive();
  out.writeInt(xid);
  out.writeInt(type);
  if (body !== undefined) out.writeBytes(body);
  return framed(out.take());
}

export function framed(body: Buffer): Buffer {
  const out = new OutputArchive();
  out.writeBuffer(body);
  return out.take();
}

function makeServer(settings: ServerSettings, options: WorldOptions): Server {
  const database = new Database({ isTTLEnabled: settings.isTTLEnabled });
  database.finishSnapshot(0n);
  const { tree } = database;
  const auth = new Auth({ hash: (text) => createHash('sha1').update(text).digest('base64') });
  const prep = new Prep(tree, auth, {
    isDigestEnabled: true,
    isQuotaEnforced: false,
    isTTLEnabled: settings.isTTLEnabled,
    isReconfigEnabled: false,
  });
  const sessions = new SessionTracker(settings.tickTimeMs, 0);
  return new Server({
    state: new ServerState({ settings, tree, sessions, auth, prep }),
    whitelist: parseWhitelist(options.whitelist ?? '*', false),
    maxClientCnxns: options.maxClientCnxns ?? 0,
    maxCnxns: options.maxCnxns ?? 0,
    seed: 1,
    replayed: 0,
    containers: new ContainerManager(
      tree,
      { checkIntervalMs: 60_000, maxPerMinute: 10_000, maxNeverUsedMs: 0 },
      0,
    ),
    makeView: (server) => new StandaloneView(server, HOST, () => FACTS, '3.9.0'),
  });
}

const HOST = {
  environment: () => [],
  dirs: () => ({ dataDirSize: 0, logDirSize: 0 }),
  openFileCount: () => 0,
  maxFileCount: () => 0,
  uptimeMs: () => 0,
};

const FACTS = {
  clientPort: 2181,
  secureClientPort: -1,
  outstandingTlsHandshakes: 0,
  dataDir: '',
  dataLogDir: '',
  maxClientCnxns: 0,
  clientPortListenBacklog: -1,
};
