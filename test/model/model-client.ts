/** A client of a model run: its requests, the expected replies, and the received replies. */
import * as assert from 'uvu/assert';
import type { FrameDecoder } from '../../src/jute/frame-decoder.js';
import type { NaiveTree } from './naive-tree.js';
import type { Op } from './operations.js';
import { type Reply, readReply } from './replies.js';

interface Heard extends Reply {
  readonly xid: number;
}

export interface Asked {
  readonly client: ModelClient;
  readonly xid: number;
  /** Undefined for a read and a close. */
  readonly op: Op | undefined;
  /** The path of a read, which the tree answers in its turn. */
  path: string | null;
  reply: Heard | null;
}

export class ModelClient {
  /** 0 without a connection. */
  connection = 0;
  session = 0n;
  isClosing = false;
  decoder: FrameDecoder | null = null;
  private lastXid = 0;
  /** In the order of the requests. */
  private pending: Asked[] = [];
  private expected: Heard[] = [];
  private heard: Heard[] = [];
  private isGreeted = false;

  opened(session: bigint): void {
    this.session = session;
    this.isClosing = false;
    this.isGreeted = false;
    this.pending = [];
    this.expected = [];
    this.heard = [];
  }

  /** The connection is lost, and with it all pending replies. */
  left(): void {
    this.connection = 0;
    this.pending = [];
  }

  asks(op?: Op): Asked {
    const asked = { client: this, xid: ++this.lastXid, op, path: null, reply: null };
    this.pending.push(asked);
    return asked;
  }

  reads(asked: Asked, path: string): void {
    asked.path = path;
  }

  /** Answers the requests at the front of the queue; reads wait for earlier writes. */
  answerReads(tree: NaiveTree): void {
    for (let next = this.pending[0]; next !== undefined; next = this.pending[0]) {
      if (next.path !== null) next.reply = { xid: next.xid, ...readReply(tree, next.path) };
      if (next.reply === null) return;
      this.expected.push(next.reply);
      this.pending.shift();
    }
  }

  decode(bytes: Buffer): void {
    this.decoder?.push(bytes);
  }

  received(frame: Buffer): void {
    if (!this.isGreeted) {
      this.isGreeted = true;
      return;
    }
    const xid = frame.readInt32BE(0);
    this.heard.push({ xid, err: frame.readInt32BE(12), body: frame.subarray(16) });
  }

  compare(): void {
    assert.equal(this.heard.map(text), this.expected.map(text), 'the replies are the model’s');
    this.heard = [];
    this.expected = [];
  }
}

function text({ xid, err, body }: Heard): string {
  return `${xid}: ${err} ${body.toString('hex')}`;
}
