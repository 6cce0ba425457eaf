/**
 * An abusive client: it sends pipelines of any requests, sets watches of every kind, and may not
 * read. It leaves by a close, by a reset, in the middle of a frame, or not at all.
 */

import { connect, type Socket } from 'node:net';
import { FrameDecoder } from '../../src/jute/frame-decoder.js';
import { InputArchive } from '../../src/jute/input-archive.js';
import { OutputArchive } from '../../src/jute/output-archive.js';
import { OpCode } from '../../src/protocol/op-code.js';
import * as requests from '../sim/clients/requests.js';
import { type Body, Flags } from '../sim/clients/requests.js';
import { ConnectRequest, ConnectResponse } from '../support/bytes/jute-records.js';
import type { Random } from '../support/random.js';

export const FIELD = '/soak';
const NAMES = ['a', 'b', 'c', 'a/x', 'a/y', 'b/x'].map((name) => `${FIELD}/${name}`);
const SESSION_MS = 2000;
const LIFE_MS = 1500;

interface Handed {
  readonly sessionId: bigint;
  readonly password: Buffer;
}

/** Runs once, on one connection. Resolves when its socket is closed. */
export class RudeClient {
  /** Responses and events that it read. */
  heard = 0;
  private readonly random: Random;
  private readonly socket: Socket;
  private xid = 0;
  private isGreeted = false;

  private constructor(port: number, random: Random) {
    this.random = random;
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
  }

  /** @param left sessions whose clients left without a close; the client may resume one */
  static live(port: number, random: Random, left: Handed[]): Promise<RudeClient> {
    const client = new RudeClient(port, random);
    return new Promise((resolve) => {
      const { socket } = client;
      const timer = setTimeout(() => socket.destroy(), LIFE_MS);
      const decoder = new FrameDecoder(1 << 26, (bytes, start, end) =>
        client.frame(new InputArchive(bytes, start, end), left),
      );
      socket.on('connect', () => client.greet(random.oneIn(3) ? left.pop() : undefined));
      socket.on('data', (chunk) => decoder.push(chunk));
      // 'close' follows.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearTimeout(timer);
        resolve(client);
      });
    });
  }

  private greet(session: Handed | undefined): void {
    if (this.random.oneIn(30)) {
      this.socket.write(Buffer.from([0, 0, 0, 44, 0, 0]));
      return;
    }
    this.write(
      ConnectRequest.encode({
        protocolVersion: 0,
        lastZxidSeen: 0n,
        timeOut: SESSION_MS,
        sessionId: session?.sessionId ?? 0n,
        passwd: session?.password ?? Buffer.alloc(16),
        readOnly: false,
      }),
    );
  }

  private frame(input: InputArchive, left: Handed[]): void {
    this.heard++;
    if (this.isGreeted) return;
    this.isGreeted = true;
    const { sessionId, passwd, timeOut } = ConnectResponse.read(input);
    if (timeOut <= 0) {
      this.socket.destroy();
      return;
    }
    this.work();
    this.part({ sessionId, password: passwd ?? Buffer.alloc(16) }, left);
  }

  private work(): void {
    const { random, socket } = this;
    for (const kind of ['data', 'child'] as const) {
      const type = kind === 'data' ? OpCode.exists : OpCode.getChildren;
      for (const path of NAMES) this.ask(requests.look(type, path, true));
    }
    this.ask(requests.addWatch(FIELD, random.below(2)));
    for (let left = 5 + random.below(200); left > 0; left--) this.ask(this.something());
    if (random.oneIn(10)) this.askDear();
    // Some clients request more than a socket buffers, and never read it.
    if (!random.oneIn(20)) return;
    socket.pause();
    for (let left = 200; left > 0; left--) {
      this.ask(requests.look(OpCode.getData, `${FIELD}/big`, false));
    }
  }

  private something(): Body {
    const { random } = this;
    const path = random.pick(NAMES);
    switch (random.below(10)) {
      case 0:
        return requests.create(path, Flags.persistent, 'soak');
      case 1:
        return requests.create(path, Flags.ephemeral, null);
      case 2:
        return requests.create(`${FIELD}/s-`, Flags.ephemeralSequential, null, OpCode.create2);
      case 3:
        return requests.create(path, Flags.container, 'soak', OpCode.createContainer);
      case 4:
        return requests.createTTL(path, 'soak', BigInt(1 + random.below(1000)));
      case 5:
        return requests.remove(path);
      case 6:
        return requests.setData(path, 'x'.repeat(random.below(2000)));
      case 7:
        return requests.multi([requests.setData(path, 'm'), requests.check(path, -1)]);
      case 8:
        return requests.ofPath(OpCode.sync, path);
      default:
        return requests.look(OpCode.getData, path, random.oneIn(2));
    }
  }

  /** Cheap requests with dear answers. */
  private askDear(): void {
    for (let left = 200; left > 0; left--) {
      this.ask(requests.ofPath(OpCode.getAllChildrenNumber, FIELD));
      this.ask(requests.ofPath(OpCode.getEphemerals, FIELD));
      this.ask(requests.look(OpCode.getChildren2, FIELD, false));
    }
    const frame = new OutputArchive();
    for (let left = 500; left > 0; left--) {
      frame.writeInt(OpCode.getData);
      frame.writeBool(false);
      frame.writeInt(-1);
      frame.writeBytes(requests.look(OpCode.getData, `${FIELD}/big`, false).body);
    }
    frame.writeInt(-1);
    frame.writeBool(true);
    frame.writeInt(-1);
    this.ask({ type: OpCode.multiRead, body: frame.take() });
  }

  /** Leaves in one of several ways. */
  private part(session: Handed, left: Handed[]): void {
    const { random, socket } = this;
    const isClosed = random.oneIn(2);
    if (isClosed) this.ask({ type: OpCode.closeSession, body: Buffer.alloc(0) });
    else if (left.length < 100) left.push(session);
    switch (random.below(5)) {
      case 0:
        socket.destroy();
        break;
      case 1:
        socket.resetAndDestroy();
        break;
      case 2:
        socket.end(Buffer.from([0, 0, 1, 0, 0]));
        break;
      case 3:
        socket.end();
        break;
      default:
        // The client stays until its deadline.
        break;
    }
  }

  private ask({ type, body }: Body): void {
    const out = new OutputArchive();
    out.writeInt(++this.xid);
    out.writeInt(type);
    out.writeBytes(body);
    this.write(out.take());
  }

  private write(frame: Buffer): void {
    const length = Buffer.alloc(4);
    length.writeInt32BE(frame.length);
    this.socket.write(Buffer.concat([length, frame]));
  }
}
