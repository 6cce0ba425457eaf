import type { ServerView } from '../../fourlw/server-view.js';

/** What an admin command may ask of a server beside what the words ask. */
export interface AdminView {
  readonly server: ServerView;
  /** Syncs of the log that took longer than fsync.warningthresholdms. */
  readonly slowSyncCount: number;
  /** The newest snapshot on the disk; undefined when there is none. */
  lastSnapshot(): { readonly zxid: bigint; readonly timestampMs: number } | undefined;
  /** By name, secrets masked. */
  systemProperties(): ReadonlyMap<string, string>;
  /** `key=value` lines of all options that are not at their default, secrets masked. */
  initialConfiguration(): string;
  /** Ends so many of each hundred client connections; returns how many that were. */
  shedConnections(percentage: number): number;
  /** Set on the members of an ensemble. */
  readonly quorum?: AdminQuorumView;
}

export interface AdminQuorumView {
  readonly myId: bigint;
  readonly isLeader: boolean;
  /** Undefined while there is no leader. */
  readonly leader: { readonly sid: bigint; readonly ip: string } | undefined;
  readonly isVoter: boolean;
  /** "broadcast", "synchronization" … */
  readonly zabState: string;
  readonly members: readonly {
    readonly sid: bigint;
    readonly serverAddresses: readonly string[];
    readonly electionAddresses: readonly string[];
    readonly clientAddress: string;
    readonly learnerType: 'participant' | 'observer';
  }[];
}
