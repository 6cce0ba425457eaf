/**
 * `npm run bench -- core`: the time that the core of a standalone server takes for a request,
 * without sockets and disk. Each figure is the least of many short rounds, so other work on the
 * machine hardly changes it. "References" divides it by the time of a fixed loop, so that figures
 * of two machines compare. A row above its bound is reported, and never an error.
 *
 *   npm run bench -- core [--rounds 500]
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { crc32 } from '../src/base/checksum.js';
import { OutputArchive } from '../src/jute/output-archive.js';
import { OpCode } from '../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../src/protocol/perms.js';
import { CreateRequest } from '../src/protocol/proto.js';
import { configFromOptions } from '../src/server/config/config.js';
import { makeStandalone } from '../src/server/node/boot/start-server.js';
import { openStorage } from '../src/server/node/storage/open-storage.js';
import type { Standalone } from '../src/server/standalone.js';
import { commit, printTable } from './table.js';

const CONNECTIONS = 10;
const IN_FLIGHT = 32;
const ZNODES = 50_000;
const DATA = Buffer.alloc(100, 0x78);

interface Load {
  readonly name: string;
  /** References for each request, about twice the most seen. */
  readonly bound: number;
  readonly write: (out: OutputArchive) => void;
}

/** A server in this process, whose disk answers at once. */
class Core {
  private readonly server: Standalone;
  private nowMs = 0;

  private constructor(server: Standalone) {
    this.server = server;
  }

  static async open(): Promise<Core> {
    const result = configFromOptions({});
    if (!('config' in result)) throw new Error('the default configuration is not valid');
    const storage = await openStorage(result.config, null, console.error, () => undefined);
    const core = new Core(
      makeStandalone(result.config, storage, () => {
        throw new Error('nobody asks for the configuration');
      }),
    );
    for (let connection = 1; connection <= CONNECTIONS; connection++) {
      const remotePort = 40_000 + connection;
      core.server.step({ kind: 'connected', connection, remoteIp: '127.0.0.1', remotePort });
      core.server.step({ kind: 'received', connection, bytes: handshake() });
      core.settle();
    }
    return core;
  }

  /** One turn of the event loop: requests of all clients, one append, its ack, the replies. */
  turn(requests: readonly Buffer[]): number {
    const monotonicMs = ++this.nowMs;
    this.server.step({ kind: 'clock', wallMs: 1_800_000_000_000 + monotonicMs, monotonicMs });
    for (const [i, bytes] of requests.entries()) {
      this.server.step({ kind: 'received', connection: i + 1, bytes });
    }
    return this.settle();
  }

  /** Returns the bytes sent to clients. */
  private settle(): number {
    let sent = 0;
    for (let effects = this.server.drain(); effects.length > 0; effects = this.server.drain()) {
      for (const effect of effects) {
        if (effect.kind === 'append') this.server.step(effect.whenDurable);
        else if (effect.kind === 'send') sent += effect.bytes.length;
        else if (effect.kind === 'close') throw new Error('the server closed a connection');
      }
    }
    return sent;
  }
}

function framed(write: (out: OutputArchive) => void, count = 1): Buffer {
  const out = new OutputArchive();
  for (let i = 0; i < count; i++) {
    const start = out.skip(4);
    write(out);
    out.patchInt(start, out.length - start - 4);
  }
  return out.take();
}

/** int protocolVersion, long lastZxidSeen, int timeOut, long sessionId, buffer passwd */
function handshake(): Buffer {
  return framed((out) => {
    out.writeInt(0);
    out.writeLong(0n);
    out.writeInt(30_000);
    out.writeLong(0n);
    out.writeBuffer(Buffer.alloc(16));
  });
}

function request(type: number, path: string, body: (out: OutputArchive) => void) {
  return (out: OutputArchive): void => {
    out.writeInt(1);
    out.writeInt(type);
    out.writeString(path);
    body(out);
  };
}

function create(path: string): (out: OutputArchive) => void {
  const record = { path, data: DATA, acl: OPEN_ACL_UNSAFE, flags: 0 };
  return (out) => {
    out.writeInt(1);
    out.writeInt(OpCode.create);
    CreateRequest.write(out, record);
  };
}

const withoutWatch = (out: OutputArchive): void => out.writeBool(false);
const anyVersion = (out: OutputArchive): void => out.writeInt(-1);

function newData(out: OutputArchive): void {
  out.writeBuffer(DATA);
  anyVersion(out);
}

const FOLDER = '/services/production/members';
const pathOf = (i: number): string => `${FOLDER}/member-${String(i).padStart(10, '0')}`;

function loads(): Load[] {
  let next = 0;
  let made = ZNODES;
  const any = (): string => {
    next = (next + 7919) % ZNODES;
    return pathOf(next);
  };
  return [
    {
      name: 'get, all znodes',
      bound: 20,
      write: (out) => request(OpCode.getData, any(), withoutWatch)(out),
    },
    { name: 'set, one znode', bound: 30, write: request(OpCode.setData, pathOf(0), newData) },
    {
      name: 'set, all znodes',
      bound: 50,
      write: (out) => request(OpCode.setData, any(), newData)(out),
    },
    { name: 'create', bound: 55, write: (out) => create(pathOf(made++))(out) },
    {
      name: 'delete',
      bound: 50,
      write: (out) => request(OpCode.delete, pathOf(--made), anyVersion)(out),
    },
  ];
}

/** Times in us of one request, in rounds of CONNECTIONS x IN_FLIGHT, shortest first. */
function measure(core: Core, { write }: Load, rounds: number): number[] {
  const times = Array.from({ length: rounds }, () => {
    const requests = Array.from({ length: CONNECTIONS }, () => framed(write, IN_FLIGHT));
    const startedAt = performance.now();
    core.turn(requests);
    return ((performance.now() - startedAt) * 1000) / (CONNECTIONS * IN_FLIGHT);
  });
  return times.sort((a, b) => a - b);
}

/** The least time in us of one loop of checksums and map look-ups. */
function reference(): number {
  const map = new Map(Array.from({ length: 1000 }, (_, i) => [pathOf(i), i]));
  const paths = [...map.keys()];
  let least = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let round = 0; round < 2000; round++) {
    const startedAt = performance.now();
    for (let i = 0; i < 300; i++) {
      sum += crc32(DATA, 0, DATA.length) + (map.get(paths[i % paths.length] ?? '') ?? 0);
    }
    least = Math.min(least, ((performance.now() - startedAt) * 1000) / 300);
  }
  if (!Number.isFinite(sum)) throw new Error('the reference loop computed nothing');
  return least;
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '500' } } });
const rounds = Number(values.rounds);
const core = await Core.open();
const parents = ['/services', '/services/production', FOLDER];
for (const path of parents) core.turn([framed(create(path))]);
for (let i = 0; i < ZNODES; i += 1000) {
  core.turn([Buffer.concat(Array.from({ length: 1000 }, (_, k) => framed(create(pathOf(i + k)))))]);
}
const all = loads();
// The compiler of V8 optimizes what ran often.
for (const load of all) measure(core, load, rounds);
const unit = reference();
const rows = all.map((load) => {
  const times = measure(core, load, rounds);
  const [least = Number.NaN] = times;
  const median = times[times.length >> 1] ?? Number.NaN;
  const references = least / unit;
  const isAbove = references > load.bound;
  const figures = [least, median, references, load.bound].map((value) => value.toFixed(2));
  return [load.name, ...figures, isAbove ? 'above' : ''];
});
process.stdout.write(
  `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, Node.js ${process.version}, ${rounds} rounds; a reference takes ${unit.toFixed(3)} us\n\n`,
);
printTable([['request', 'least us', 'median us', 'references', 'bound', ''], ...rows]);
