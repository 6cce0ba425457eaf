import { OutputArchive } from '../../../src/jute/output-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { MultiHeader } from '../../../src/protocol/proto.js';
import { REQUESTS } from '../../../src/protocol/requests.js';
import type { Effect } from '../../../src/server/effects.js';
import { Database } from '../../../src/server/persistence/replay.js';
import type { Server } from '../../../src/server/server.js';
import { handshake } from '../../server/server-peer.js';
import { makeTestServer, SETTINGS } from '../../server/server-world.js';
import type { Stress, Target } from '../target.js';
import { textsOf, withCounter } from '../varied-frames.js';

/** The first byte of an input: with a session before the rest? does the disk answer? */
const WITH_SESSION = 1;
const WITHOUT_DISK = 2;
const CHUNK = 64 * 1024;
const CONNECTION = 1;
/** Texts of an input that are varied, one at a time. */
const MAX_WAYS = 3;
const MAX_KIND = 3;
const OpCodes: ReadonlySet<number> = new Set(Object.values(OpCode));

/** A stepped server and one client, whose answers go nowhere. */
class OneClient {
  isHeld = false;
  isClosed = false;
  bytes = 0;
  private readonly server: Server;
  private readonly hasDisk: boolean;
  private readonly appends: Extract<Effect, { kind: 'append' }>[] = [];

  constructor(flags: number) {
    const settings = { ...SETTINGS, isTTLEnabled: true };
    const database = new Database({ isTTLEnabled: true });
    database.finishSnapshot(0n);
    this.server = makeTestServer(settings, { tree: database.tree, sessions: [] });
    this.server.step({ kind: 'clock', wallMs: 1_800_000_000_000, monotonicMs: 0 });
    this.hasDisk = true;
    const from = { remoteIp: '127.0.0.1', remotePort: 40_000 };
    this.server.step({ kind: 'connected', connection: CONNECTION, ...from });
    if ((flags & WITH_SESSION) !== 0) this.push(handshake());
    this.hasDisk = (flags & WITHOUT_DISK) === 0;
  }

  push(bytes: Buffer): void {
    if (this.isClosed) return;
    this.bytes += bytes.length;
    this.server.step({ kind: 'received', connection: CONNECTION, bytes });
    this.drain();
  }

  /** Everything else that happens to a server, after which it must still be whole. */
  leave(): void {
    this.server.step({ kind: 'clock', wallMs: 1_800_000_060_000, monotonicMs: 60_000 });
    this.drain();
    this.hangUp();
  }

  hangUp(): void {
    if (!this.isClosed) this.server.step({ kind: 'disconnected', connection: CONNECTION });
    this.isClosed = true;
    this.drain();
  }

  private drain(): void {
    for (let rounds = 0; rounds < 64; rounds++) {
      const effects = this.server.drain();
      for (const effect of effects) this.perform(effect);
      const append = this.hasDisk ? this.appends.shift() : undefined;
      if (append !== undefined) this.server.step(append.whenDurable);
      else if (effects.length === 0) return;
    }
  }

  private perform(effect: Effect): void {
    if (effect.kind === 'append') this.appends.push(effect);
    else if (effect.kind === 'close') this.isClosed = true;
    else if (effect.kind === 'pause' || effect.kind === 'resume') {
      this.isHeld = effect.kind === 'pause';
    }
  }
}

function run(input: Buffer): void {
  const client = new OneClient(input[0] ?? 0);
  client.push(Buffer.from(input.subarray(1)));
  client.leave();
}

/** As sockets deliver it, for as long as the server reads. */
function stress(input: Buffer, most: number, way: number): Stress | null {
  const flags = input[0] ?? 0;
  const [first, rest] = leadOf(input.subarray(1), flags);
  const fields = way === 0 ? [] : textsOf(rest);
  const field = fields[way - 1];
  if (rest.length === 0 || way > MAX_WAYS || (way > 0 && field === undefined)) return null;
  const chunks = [Buffer.from(first)];
  const times = Math.ceil(most / rest.length);
  const perChunk = Math.max(1, Math.floor(CHUNK / rest.length));
  for (let done = 0; done < times; done += perChunk) {
    const repeats = Array.from({ length: Math.min(perChunk, times - done) }, (_, i) => {
      return field === undefined ? rest : withCounter(rest, field, done + i);
    });
    chunks.push(Buffer.concat(repeats));
  }
  const client = new OneClient(flags);
  return {
    get bytes() {
      return client.bytes;
    },
    isStored: (flags & WITHOUT_DISK) === 0,
    run: () => {
      for (const chunk of chunks) if (!client.isHeld) client.push(Buffer.from(chunk));
    },
    leave: () => client.hangUp(),
  };
}

/** The operations of what is repeated, and what they are sent to. */
function kindOf(input: Buffer): string {
  const flags = (input[0] ?? 0) & (WITH_SESSION | WITHOUT_DISK);
  const [, rest] = leadOf(input.subarray(1), flags);
  const types: number[] = [];
  for (let at = 0; at + 4 <= rest.length && types.length < MAX_KIND; ) {
    types.push(at + 12 <= rest.length ? rest.readInt32BE(at + 8) : 0);
    at += 4 + Math.max(0, rest.readInt32BE(at));
  }
  return [flags, ...types.map((type) => (OpCodes.has(type) ? type : '?'))].join();
}

/** A connect request is said once, and what follows it again and again. */
function leadOf(bytes: Buffer, flags: number): [first: Buffer, rest: Buffer] {
  const isGreeted = (flags & WITH_SESSION) !== 0;
  if (isGreeted || bytes.length < 4) return [Buffer.alloc(0), bytes];
  const end = 4 + Math.max(0, bytes.readInt32BE(0));
  return [bytes.subarray(0, end), bytes.subarray(end)];
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
  [OpCode.auth, { type: 0, scheme: 'digest', auth: Buffer.from('user:password') }],
  [OpCode.sasl, { token: Buffer.from('token') }],
  [OpCode.getEphemerals, { prefixPath: '/' }],
  [OpCode.whoAmI, {}],
  [OpCode.delete, { path: '/e', version: 0 }],
  [OpCode.closeSession, {}],
];

function multi(): Buffer {
  const out = new OutputArchive();
  for (const type of [OpCode.create, OpCode.setData, OpCode.delete]) {
    const value = BODIES.find(([found]) => found === type)?.[1];
    MultiHeader.write(out, { type, done: false, err: -1 });
    out.writeBytes(REQUESTS.get(type)?.request.encode(value) ?? Buffer.alloc(0));
  }
  MultiHeader.write(out, { type: -1, done: true, err: -1 });
  return frame(9, OpCode.multi, out.take());
}

function seeds(): Buffer[] {
  const frames = BODIES.map(([type, value], i) => {
    return frame(
      type === OpCode.auth ? -4 : i + 1,
      type,
      REQUESTS.get(type)?.request.encode(value),
    );
  });
  const flagged = (flags: number, ...parts: readonly Buffer[]) =>
    Buffer.concat([Buffer.from([flags]), ...parts]);
  return [
    ...frames.map((one) => flagged(WITH_SESSION, one)),
    flagged(WITH_SESSION, ...frames),
    flagged(WITH_SESSION, frames[0] as Buffer, multi()),
    flagged(0, handshake(), frames[0] as Buffer),
    flagged(WITHOUT_DISK, handshake(), frame(-2, OpCode.ping)),
    flagged(WITHOUT_DISK, handshake(), Buffer.alloc(4)),
    flagged(0, Buffer.from('ruok')),
    flagged(0, Buffer.from('srvr')),
  ];
}

export const clientFrames: Target = {
  name: 'client-frames',
  seeds,
  words: [handshake(), frame(-2, OpCode.ping), '/a', '/zookeeper/quota', 'digest', 'x509', 'world'],
  run,
  stress,
  kindOf,
};
