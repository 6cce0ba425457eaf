import type { ServerView } from '../../fourlw/base/server-view.js';

export interface AdminView {
  readonly server: ServerView;
  /** Syncs of the log that took longer than fsync.warningthresholdms. */
  readonly slowSyncCount: number;
  /** The last ones that took slowRequestThresholdMs, oldest first. */
  slowRequests(): readonly SlowRequestView[];
  lastSnapshot(): { readonly zxid: bigint; readonly timestampMs: number } | undefined;
  /** Values by name; secrets are masked. */
  systemProperties(): ReadonlyMap<string, string>;
  /** `key=value` lines of the options that differ from their defaults; secrets are masked. */
  initialConfiguration(): string;
  /** Ends this percentage of the client connections; returns their count. */
  shedConnections(percentage: number): number;
  /** Lets another voter lead. Returns why it cannot, or "". */
  moveLeader(sid: number): string;
  readonly quorum?: AdminQuorumView | undefined;
}

export interface SlowRequestView {
  /** When it was answered, in ISO 8601. */
  readonly time: string;
  readonly sessionId: bigint;
  /** The name as in `cons`: GETD, CREA … */
  readonly operation: string;
  /** Its first 256 characters; null if the request has no path or failed. */
  readonly path: string | null;
  readonly ms: number;
}

export interface AddressView {
  readonly host: string;
  readonly port: number;
}

export interface AdminQuorumView {
  readonly myId: bigint;
  readonly isLeader: boolean;
  /** Undefined without a leader. */
  readonly leader: { readonly sid: bigint; readonly ip: string } | undefined;
  readonly isVoter: boolean;
  /** "broadcast", "synchronization" … */
  readonly zabState: string;
  readonly members: readonly {
    readonly sid: bigint;
    readonly serverAddresses: readonly AddressView[];
    readonly electionAddresses: readonly AddressView[];
    readonly clientAddress: string;
    readonly learnerType: 'participant' | 'observer';
  }[];
}
