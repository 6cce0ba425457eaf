import { OutputArchive } from '../../../src/jute/output-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import type { Effect } from '../../../src/server/effects.js';
import { Database } from '../../../src/server/persistence/replay.js';
import type { Server } from '../../../src/server/server.js';
import { handshake } from '../../server/server-peer.js';
import { makeTestServer, SETTINGS } from '../../server/server-world.js';
import { MultiHeader } from '../../support/bytes/jute-records.js';
import { sampleOf } from '../samples.js';
import { Finding, type Stranger, type Target } from '../target.js';

/** Bits of the first byte of an input: a session before the rest, a disk that does not respond. */
const WITH_SESSION = 1;
const WITHOUT_DISK = 2;
const WAYS = 4;
/** The number of inputs for one server, which keeps the data that they store. */
const INPUTS_PER_SERVER = 64;
/** Longer than the longest session, and than a connection without one. */
const LONG_MS = 25 * SETTINGS.tickTimeMs;
const MAX_ROUNDS = 10_000;

/** A stepped server, which one client after another connects to. */
class World {
  readonly server: Server;
  hasDisk = true;
  onEffect: (effect: Effect) => void = () => undefined;
  private nowMs = 0;
  private clients = 0;
  private readonly appends: Extract<Effect, { kind: 'append' }>[] = [];

  constructor() {
    const settings = { ...SETTINGS, isTTLEnabled: true, isKeeperDialect: true };
    const database = new Database({ isTTLEnabled: true });
    database.finishSnapshot(0n);
    this.server = makeTestServer(settings, { tree: database.tree, sessions: [] });
    this.pass(0);
  }

  get isUsed(): boolean {
    return this.clients >= INPUTS_PER_SERVER;
  }

  connect(): number {
    const connection = ++this.clients;
    const from = { remoteIp: '127.0.0.1', remotePort: 40_000 };
    this.server.step({ kind: 'connected', connection, ...from });
    return connection;
  }

  pass(ms: number): void {
    this.nowMs += ms;
    const monotonicMs = this.nowMs;
    this.server.step({ kind: 'clock', wallMs: 1_800_000_000_000 + monotonicMs, monotonicMs });
    this.drain();
  }

  /** Sessions get a tick of grace after a pause. */
  passLong(): void {
    this.pass(LONG_MS);
    this.pass(SETTINGS.tickTimeMs);
  }

  drain(): void {
    for (let rounds = 0; ; rounds++) {
      const effects = this.server.drain();
      for (const effect of effects) {
        if (effect.kind === 'append') this.appends.push(effect);
        else this.onEffect(effect);
      }
      const append = this.hasDisk ? this.appends.shift() : undefined;
      if (append !== undefined) this.server.step(append.whenDurable);
      else if (effects.length === 0 || rounds > MAX_ROUNDS) return;
    }
  }

  /** The remaining state of clients, without the data that they stored. */
  get left(): number[] {
    const { state, outstandingRequests } = this.server;
    const { connections, sessions, dataWatches, childWatches } = state;
    const all = [connections, sessions, dataWatches, childWatches].map(({ size }) => size);
    return [...all, outstandingRequests];
  }
}

/** A client whose responses are discarded. */
class OneClient implements Stranger {
  isHeld = false;
  isClosed = false;
  bytes = 0;
  readonly isStored: boolean;
  private readonly world: World;
  private readonly connection: number;

  constructor(world: World, way: number) {
    this.world = world;
    this.connection = world.connect();
    world.onEffect = (effect) => this.perform(effect);
    if ((way & WITH_SESSION) !== 0) this.push(handshake());
    this.isStored = (way & WITHOUT_DISK) === 0;
    world.hasDisk = this.isStored;
  }

  push(bytes: Buffer): void {
    if (this.isClosed) return;
    this.bytes += bytes.length;
    this.world.server.step({ kind: 'received', connection: this.connection, bytes });
    this.world.drain();
  }

  leave(): void {
    const { world, connection } = this;
    if (!this.isClosed) world.server.step({ kind: 'disconnected', connection });
    this.isClosed = true;
    world.drain();
  }

  private perform(effect: Effect): void {
    if (!('connection' in effect) || effect.connection !== this.connection) return;
    if (effect.kind === 'close') this.isClosed = true;
    else if (effect.kind === 'pause') this.isHeld = true;
    else if (effect.kind === 'resume') this.isHeld = false;
  }
}

let shared: World | null = null;

function run(input: Buffer): void {
  if (shared === null || shared.isUsed) shared = new World();
  const world = shared;
  // Only a server that completed an input is used again.
  shared = null;
  const client = new OneClient(world, (input[0] ?? 0) % WAYS);
  client.push(Buffer.from(input.subarray(1)));
  // Everything else that happens to a server. It must work afterwards.
  world.passLong();
  client.leave();
  world.hasDisk = true;
  world.drain();
  if (world.left.some((count) => count > 0)) world.passLong();
  const { left } = world;
  if (left.some((count) => count > 0)) {
    throw new Finding(`left of a client: ${left} (expected nothing)`);
  }
  shared = world;
}

function frame(xid: number, type: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(12);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(xid, 4);
  head.writeInt32BE(type, 8);
  return Buffer.concat([head, body]);
}

const data = Buffer.from('data');
const acl = OPEN_ACL_UNSAFE;
const paths = { dataWatches: ['/a'], existWatches: ['/b'], childWatches: ['/'] };
const BODIES: readonly (readonly [type: number, value: unknown])[] = [
  [OpCode.create, { path: '/a', data, acl, flags: 0 }],
  [OpCode.create, { path: '/e', data: null, acl, flags: 1 }],
  [OpCode.create2, { path: '/a/s-', data, acl, flags: 3 }],
  [OpCode.createContainer, { path: '/c', data, acl, flags: 4 }],
  [OpCode.createTTL, { path: '/t', data, acl, flags: 5, ttl: 1000n }],
  [OpCode.setData, { path: '/a', data, version: -1 }],
  [OpCode.getData, { path: '/a', watch: true }],
  [OpCode.exists, { path: '/b', watch: true }],
  [OpCode.getChildren2, { path: '/', watch: true }],
  [OpCode.setACL, { path: '/a', acl, version: -1 }],
  [OpCode.getACL, { path: '/a' }],
  [OpCode.sync, { path: '/' }],
  [OpCode.setWatches, { relativeZxid: 0n, ...paths }],
  [OpCode.addWatch, { path: '/a', mode: 1 }],
  [OpCode.removeWatches, { path: '/a', type: 3 }],
  [OpCode.sasl, { token: Buffer.from('token') }],
  [OpCode.getEphemerals, { prefixPath: '/' }],
  [OpCode.whoAmI, {}],
  [OpCode.delete, { path: '/e', version: 0 }],
  [OpCode.closeSession, {}],
];
const TEXTS = ['/a', '/zookeeper/quota', 'digest', 'x509', 'world'];

function multi(): Buffer {
  const out = new OutputArchive();
  for (const type of [OpCode.create, OpCode.setData, OpCode.delete]) {
    const value = BODIES.find(([found]) => found === type)?.[1];
    MultiHeader.write(out, { type, done: false, err: -1 });
    out.writeBytes(OPERATION_TABLE.get(type)?.request?.encode(value) ?? Buffer.alloc(0));
  }
  MultiHeader.write(out, { type: -1, done: true, err: -1 });
  return frame(9, OpCode.multi, out.take());
}

/** Every type of request with each text of the protocol. */
function samples(): Buffer[] {
  const frames = [...OPERATION_TABLE].flatMap(([type, { request }]) =>
    request === undefined
      ? []
      : TEXTS.map((text) => frame(1, type, sampleOf(request, text)).toString('latin1')),
  );
  return [...new Set(frames)].map((text) => Buffer.from(text, 'latin1'));
}

function seeds(): Buffer[] {
  const frames = BODIES.map(([type, value], i) => {
    return frame(i + 1, type, OPERATION_TABLE.get(type)?.request?.encode(value));
  });
  const flagged = (flags: number, ...parts: readonly Buffer[]) =>
    Buffer.concat([Buffer.from([flags]), ...parts]);
  return [
    flagged(0, handshake(), frames[0] as Buffer),
    flagged(0, handshake(), frame(-2, OpCode.ping)),
    flagged(WITHOUT_DISK, handshake(), frame(-2, OpCode.ping)),
    flagged(0, Buffer.from('ruok')),
    flagged(0, Buffer.from('srvr')),
    ...frames.map((one) => flagged(WITH_SESSION, one)),
    ...samples().map((one) => flagged(WITH_SESSION, one)),
    flagged(WITH_SESSION, ...frames),
    flagged(WITH_SESSION, frames[0] as Buffer, multi()),
  ];
}

export const clientFrames: Target = {
  name: 'client-frames',
  seeds,
  words: [handshake(), ...Object.values(OpCode).map((type) => int(type)), ...TEXTS],
  run,
  connect: (way) => new OneClient(new World(), way),
  ways: WAYS,
  renew: () => {
    shared = null;
  },
};

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
