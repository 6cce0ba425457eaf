import * as assert from 'uvu/assert';
import type { Effect } from '../../../../src/server/effects.js';
import type { Database } from '../../../../src/server/persistence/replay.js';
import { Standalone } from '../../../../src/server/standalone.js';
import { handshake, Peer } from '../../server-peer.js';
import { makeTestServer, SETTINGS } from '../../server-world.js';
import { TreeWorld } from '../../tree/tree-world.js';

type Append = Extract<Effect, { kind: 'append' }>;
type Adopt = Extract<Effect, { kind: 'adopt-restored' }>;

/** A standalone server without I/O. A test completes its appends and its change of the disk. */
export class RestoreWorld {
  private nowMs = 0;
  readonly server = new Standalone(
    (data, stats) =>
      makeTestServer(SETTINGS, {
        ...data,
        nowMs: this.nowMs,
        ...(stats === undefined ? {} : { stats }),
      }),
    { tree: new TreeWorld().tree, sessions: [] },
  );
  onTurn: () => void = () => undefined;
  readonly appends: Append[] = [];
  adopt: Adopt | null = null;
  private readonly peers: Peer[] = [];

  constructor() {
    this.clock(0);
  }

  clock(ms: number): void {
    this.nowMs += ms;
    this.server.step({ kind: 'clock', wallMs: 1e12 + this.nowMs, monotonicMs: this.nowMs });
    this.drain();
  }

  client(options: Parameters<typeof handshake>[0] = {}): Peer {
    const id = this.peers.length + 1;
    const peer = new Peer(this, id);
    this.peers.push(peer);
    this.server.step({ kind: 'connected', connection: id, remoteIp: '127.0.0.1', remotePort: id });
    peer.push(handshake(options));
    return peer;
  }

  ackAll(): void {
    for (let next = this.appends.shift(); next !== undefined; next = this.appends.shift()) {
      this.server.step(next.whenDurable);
      this.drain();
    }
  }

  restore(database: Database): void {
    this.server.step({ kind: 'restore', database, staged: 'restored.5.tmp' });
    this.drain();
  }

  adopted(): void {
    assert.ok(this.adopt !== null, 'the disk was not used');
    this.server.step(this.adopt.whenDurable);
    this.adopt = null;
    this.drain();
  }

  /** Runs turns while the server asks for more. `onTurn` runs after each. */
  drain(): void {
    let isMoreLeft = false;
    for (const effect of this.server.drain()) {
      if (effect.kind === 'wake') isMoreLeft = true;
      else if (effect.kind === 'append') this.appends.push(effect);
      else if (effect.kind === 'adopt-restored') this.adopt = effect;
      else if (effect.kind === 'send') this.peer(effect.connection).received(effect.bytes);
      else if (effect.kind === 'close') this.peer(effect.connection).wasClosed();
      else if (effect.kind === 'pause' || effect.kind === 'resume') {
        this.peer(effect.connection).wasHeld(effect.kind === 'pause');
      }
    }
    this.onTurn();
    if (isMoreLeft) this.drain();
  }

  private peer(id: number): Peer {
    return this.peers[id - 1] as Peer;
  }
}
