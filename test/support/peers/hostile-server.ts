// A hostile server on one port for words and sessions. Every call of a tool against it must end.
import type { Socket } from 'node:net';
import { ByteBuilder } from '../bytes/byte-builder.js';
import { FrameSplitter, xidOf } from '../bytes/zk-frames.js';
import { type FakeMember, startFake } from './fake-member.js';

/** One character of each kind that a terminal interprets or hides. No tool may print them. */
export const HOSTILE_NAME =
  '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202etxt\u2066\u200b\u2028\u0085\r\nVERDICT forged: OK';
export const HARMFUL = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

type Answer = (socket: Socket, request: Buffer) => void;

export interface Harm {
  /** Handles a four-letter word. */
  readonly word: Answer;
  /** Handles the first frame of a session. By default it accepts the session. */
  readonly greet?: Answer;
  /** Handles each later request. */
  readonly request?: Answer;
}

const NOTHING: Answer = () => undefined;

function frame(body: Buffer): Buffer {
  return new ByteBuilder().buffer(body).build();
}

function welcome(timeoutMs = 30_000): Buffer {
  const body = new ByteBuilder().int(0).int(timeoutMs).long(0x77n).buffer(Buffer.alloc(16, 1));
  return frame(body.bool(false).build());
}

/** A reply with this body. */
function reply(request: Buffer, body: Buffer, error = 0, xid = xidOf(request)): Buffer {
  const header = new ByteBuilder().int(xid).long(1n).int(error);
  return frame(header.bytes(body).build());
}

function replies(body: (type: number) => Buffer, error = 0): Answer {
  return (socket, request) => {
    const isPing = xidOf(request) === -2;
    const bytes = isPing ? Buffer.alloc(0) : body(request.readInt32BE(8));
    socket.write(reply(request, bytes, isPing ? 0 : error));
  };
}

/** Writes until the client stops reading. */
function pours(block: Buffer, limit = Number.POSITIVE_INFINITY): Answer {
  return (socket) => {
    let left = limit;
    const pour = () => {
      while (socket.writable && left > 0) {
        left -= block.length;
        if (!socket.write(block)) return;
      }
      if (left <= 0) socket.end();
    };
    socket.on('drain', pour);
    pour();
  };
}

/** Writes the first bytes, then single bytes at intervals. */
function drips(first: Buffer = Buffer.alloc(0)): Answer {
  return (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write('Z'), 20);
    socket.on('close', () => clearInterval(timer));
  };
}

const says =
  (bytes: Buffer | string): Answer =>
  (socket) =>
    void socket.write(bytes);
const ends =
  (bytes: Buffer | string): Answer =>
  (socket) =>
    void socket.end(bytes);
const resets: Answer = (socket) => void socket.resetAndDestroy();

const BLOCK = Buffer.alloc(1024 * 1024, 'x');
const HALF_FRAME = new ByteBuilder().int(1000).int(1).build();
const HUGE_COUNT = new ByteBuilder().int(0x7fff_ffff).build();

/** The response to every word, with the name in each place that has one. */
function forgedWord(socket: Socket, request: Buffer): void {
  const name = HOSTILE_NAME;
  const at = `/127.0.0.1:1[1](queued=0,recved=1,sent=1,sid=0x1,lop=${name},est=1,to=3000,lcxid=0x1,lzxid=0x1,lresp=1,llat=0,minlat=0,avglat=0,maxlat=0)`;
  const stats = `Latency min/avg/max: 0/0/0\nReceived: 1\nSent: 1\nConnections: 1\nOutstanding: 0\nZxid: 0x1\nMode: standalone\nNode count: 5\n`;
  const texts: Readonly<Record<string, string>> = {
    ruok: 'imok',
    srvr: `Zookeeper version: 3.9.0-${name}, built on ${name}\n${stats}`,
    stat: `Zookeeper version: 3.9.0-${name}, built on ${name}\nClients:\n ${at}\n\n${stats}`,
    mntr: `zk_version\t3.9.0-${name}\nzk_server_state\tstandalone\nzk_${name}\t1\nzk_znode_count\t5\n`,
    cons: ` ${at}\n`,
    conf: `clientPort=2181\ndataDir=${name}\nserver.1=${name}:1:2\n${name}=${name}\n`,
    envi: `Environment:\nzookeeper.version=${name}\nhost.name=${name}\n${name}=${name}\n`,
    isro: 'rw',
    wchs: `1 connections watching 1 paths\nTotal watches:1\n${name}`,
    wchc: `0x1\n\t/${name}\n`,
    wchp: `/${name}\n\t0x1\n`,
    dump: `SessionTracker dump:\nSession Sets (1)/(1):\n1 expire at ${name}:\n\t0x1\nephemeral nodes dump:\nSessions with Ephemerals (1):\n0x1:\n\t/${name}\n`,
    dirs: `datadir_size: 1\nlogdir_size: 1\n${name}: 1\n`,
    hash: `${name}\n`,
    gtmk: '306',
    stmk: '306',
    crst: 'Connection stats reset.\n',
    srst: 'Server stats reset.\n',
  };
  socket.end(texts[request.toString('latin1', 0, 4)] ?? name);
}

const STAT = new ByteBuilder().bytes(Buffer.alloc(68)).build();

/** A body for each operation, with the name where one belongs. */
function forgedBody(type: number): Buffer {
  const name = new ByteBuilder().string(HOSTILE_NAME).build();
  const acl = new ByteBuilder().int(1).int(31).bytes(name).bytes(name).build();
  const bodies: Readonly<Record<number, readonly Buffer[]>> = {
    1: [name],
    3: [STAT],
    4: [name, STAT],
    5: [STAT],
    6: [acl, STAT],
    8: [HUGE_ONE, name],
    12: [HUGE_ONE, name, STAT],
    15: [name, STAT],
    103: [HUGE_ONE, name],
    107: [acl],
  };
  return Buffer.concat(bodies[type] ?? []);
}

const HUGE_ONE = new ByteBuilder().int(1).build();

export const HARMS: Readonly<Record<string, Harm>> = {
  silent: { word: NOTHING, greet: NOTHING },
  'silent after the handshake': { word: NOTHING, request: NOTHING },
  closes: { word: ends(''), greet: ends('') },
  resets: { word: resets, greet: resets },
  'closes on each request': { word: ends(''), request: ends('') },
  garbage: {
    word: ends('HTTP/1.1 400 Bad Request\r\n\r\n'),
    greet: ends('HTTP/1.1 400 Bad Request\r\n\r\n'),
  },
  'garbage instead of a reply': {
    word: ends(Buffer.alloc(4000, 0xff)),
    request: says(Buffer.alloc(4000, 0xff)),
  },
  'zeros without end': { word: pours(Buffer.alloc(65_536)), request: pours(Buffer.alloc(65_536)) },
  'half a frame': { word: says('Zoo'), greet: says(HALF_FRAME) },
  'half a reply': { word: says('Zoo'), request: says(HALF_FRAME) },
  'half a reply, then a close': { word: ends('Zookeeper ver'), request: ends(HALF_FRAME) },
  'slow single bytes': { word: drips(), greet: drips(new ByteBuilder().int(4_000_000).build()) },
  'a reply byte by byte': {
    word: drips(Buffer.from('Zookeeper version: ')),
    request: drips(new ByteBuilder().int(4_000_000).build()),
  },
  'a frame of 2 GB': { word: pours(BLOCK, 100 * BLOCK.length), greet: says(HUGE_COUNT) },
  'a reply of 2 GB': { word: pours(BLOCK), request: says(HUGE_COUNT) },
  'a negative length': { word: ends('-1'), request: says(new ByteBuilder().int(-5).build()) },
  'a session timeout of 0': { word: ends('0'), greet: says(welcome(0)) },
  'a negative session timeout': { word: ends('-1'), greet: says(welcome(-1)) },
  'a session timeout of 1 ms': { word: ends('1'), greet: says(welcome(1)), request: NOTHING },
  'a wrong xid': {
    word: ends('imok'),
    request: (socket, request) =>
      void socket.write(reply(request, forgedBody(request.readInt32BE(8)), 0, xidOf(request) + 7)),
  },
  'huge counts': {
    word: ends('1'.repeat(400)),
    request: replies(() => Buffer.concat([HUGE_COUNT, HUGE_COUNT])),
  },
  'negative counts': {
    word: ends('9'.repeat(400)),
    request: replies(() => Buffer.alloc(100, 0xff)),
  },
  'an empty reply': { word: ends('\n'), request: replies(() => Buffer.alloc(0)) },
  'an unknown error': { word: ends('\0'), request: replies(() => Buffer.alloc(0), -31_337) },
  'a positive error': { word: ends('\0'), request: replies(() => Buffer.alloc(0), 5) },
  'events without end': {
    word: ends('This ZooKeeper instance is not currently serving requests\n'),
    request: pours(
      Buffer.concat(
        Array.from({ length: 500 }, () =>
          frame(new ByteBuilder().int(-1).long(-1n).int(0).int(3).int(3).string('/a').build()),
        ),
      ),
    ),
  },
  'forged names': { word: forgedWord, request: replies(forgedBody) },
  'a forged refusal': {
    word: ends(`${HOSTILE_NAME} is not executed because it is not in the whitelist.\n`),
    request: replies(() => Buffer.alloc(0), -101),
  },
};

/** Starts one on a free port. */
export function startHostile(harm: Harm): Promise<FakeMember> {
  return startFake((socket, _word, bytes) => {
    if (/^[a-z]{4}/.test(bytes.toString('latin1', 0, 4))) {
      harm.word(socket, bytes);
      return;
    }
    const frames = new FrameSplitter();
    let isGreeted = false;
    const take = (chunk: Buffer): void => {
      for (const each of frames.push(chunk)) {
        if (isGreeted) (harm.request ?? NOTHING)(socket, each);
        else (harm.greet ?? says(welcome()))(socket, each);
        isGreeted = true;
      }
    };
    socket.on('data', take);
    take(bytes);
  });
}
