import type { InputArchive } from '../../jute/input-archive.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { Xid } from '../../protocol/op-code.js';
import type { WatcherType } from '../../protocol/watch-event.js';
import { toClientPath } from '../base/chroot.js';
import type { Watcher } from '../base/client.js';
import type { AuthList } from './auth-list.js';
import { type ClientWatches, makeWatchEvent } from './client-watches.js';
import type { RequestPipeline } from './request-pipeline.js';
import type { SessionEffects } from './session-contract.js';
import type { SessionIdentity } from './session-identity.js';

interface Receivers {
  readonly identity: SessionIdentity;
  readonly watches: ClientWatches;
  readonly requests: RequestPipeline;
  readonly auth: AuthList;
  readonly effects: SessionEffects;
}

export class ReplyReader {
  private readonly chroot: string;
  private readonly to: Receivers;

  constructor(chroot: string, receivers: Receivers) {
    this.chroot = chroot;
    this.to = receivers;
  }

  /** False if the server refused an authentication, which ends the session. @throws JuteError */
  handle(input: InputArchive): boolean {
    const xid = input.readInt();
    const zxidHigh = input.readInt();
    const zxidLow = input.readInt();
    const err = input.readInt();
    switch (xid) {
      case Xid.ping:
        return true;
      case Xid.notification:
        this.notify(input, (BigInt(zxidHigh) << 32n) | BigInt(zxidLow >>> 0));
        return true;
      case Xid.auth:
        if (err === ErrorCode.OK) this.to.auth.accepted();
        return err === ErrorCode.OK;
      case Xid.setWatches:
        this.to.requests.settle(xid, err, input);
        // Until all watches are set, a new connection must ask for the events since the old zxid.
        if (this.to.requests.oldest?.xid === Xid.setWatches) return true;
        this.to.identity.recordZxid(zxidHigh, zxidLow);
        return true;
      default:
        this.to.identity.recordZxid(zxidHigh, zxidLow);
        this.to.requests.settle(xid, err, input);
        return true;
    }
  }

  removeWatchers(path: string, type: WatcherType, only?: Watcher): void {
    const clientPath = toClientPath(this.chroot, path);
    for (const { type: removed, watchers } of this.to.watches.remove(path, type, only)) {
      this.to.effects.deliver({ type: removed, path: clientPath, zxid: -1n }, watchers);
    }
  }

  private notify(input: InputArchive, zxid: bigint): void {
    const type = input.readInt();
    input.readInt();
    const path = input.readString() ?? '';
    const watchers = this.to.watches.trigger(type, path);
    const event = makeWatchEvent(type, toClientPath(this.chroot, path), zxid);
    if (watchers.size > 0 && event !== undefined) this.to.effects.deliver(event, watchers);
  }
}
