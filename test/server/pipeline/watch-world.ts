import { OpCode } from '../../../src/protocol/op-code.js';
import type { AddWatchMode } from '../../../src/protocol/watch-event.js';
import type { Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

/** A client that makes changes, and one that watches. */
export class WatchWorld {
  readonly world = new ServerWorld();
  readonly writer = this.world.client();
  readonly watcher = this.world.client();

  /** Sends requests of a client and makes their txns durable. */
  send(peer: Peer, ...requests: readonly Buffer[]): void {
    for (const request of requests) peer.push(request);
    this.world.ackAll();
  }

  change(...requests: readonly Buffer[]): void {
    this.send(this.writer, ...requests);
    this.writer.take();
  }

  arm(...requests: readonly Buffer[]): void {
    this.send(this.watcher, ...requests);
    this.watcher.take();
  }

  delete(path: string): Buffer {
    return this.writer.request(OpCode.delete, { path, version: -1 });
  }

  children(path: string): Buffer {
    return this.watcher.request(OpCode.getChildren, { path, watch: true });
  }

  addWatch(path: string, mode: AddWatchMode): Buffer {
    return this.watcher.request(OpCode.addWatch, { path, mode });
  }

  /** The events since the last call, without their zxids. */
  events(): string[] {
    const isEvent = (line: string): boolean => line.startsWith('event ');
    return this.watcher
      .take()
      .filter(isEvent)
      .map((line) => line.replace(/^event (.*) at .*$/, '$1'));
  }
}
