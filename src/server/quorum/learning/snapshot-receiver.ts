/** The tree after SNAP, without header and seals. The old tree stays until it is complete. */

import { SnapshotReader } from '../../../files/snapshot-reader.js';
import { InputArchive } from '../../../jute/input-archive.js';
import { JuteError } from '../../../jute/jute-error.js';
import { faultOf, feedSnapshot } from '../../persistence/feed-snapshot.js';
import { Database } from '../../persistence/replay.js';
import type { DataTree } from '../../tree/data-tree.js';
import { SNAP_STREAM_SIGNATURE } from '../leading/snapshot-stream.js';
import type { Data } from '../peer/role.js';

/** int length and the signature. */
const SIGNATURE_SIZE = 4 + SNAP_STREAM_SIGNATURE.length;

export class SnapshotReceiver {
  private readonly reader: SnapshotReader;
  private readonly database: Database;
  private readonly zxid: bigint;
  private isBodyRead = false;
  private tail: Buffer = Buffer.alloc(0);

  /** @param zxid of the SNAP packet: all txns up to it are in the tree */
  constructor(zxid: bigint, like: DataTree, maxLength: number) {
    this.zxid = zxid;
    this.reader = new SnapshotReader(maxLength, 'body');
    this.database = new Database(like.options);
  }

  push(bytes: Buffer): void {
    if (this.isBodyRead) this.tail = Buffer.concat([this.tail, bytes]);
    else this.reader.push(bytes);
  }

  /** The complete tree; null before its signature. @throws JuteError when it is invalid */
  receive(): Data | null {
    if (!this.isBodyRead && !this.readBody()) return null;
    if (this.tail.length < SIGNATURE_SIZE) return null;
    const signature = new InputArchive(this.tail).readString();
    if (signature !== SNAP_STREAM_SIGNATURE) {
      throw new JuteError(
        `snapshot: wrong signature: "${signature}" (expected "${SNAP_STREAM_SIGNATURE}")`,
      );
    }
    this.tail = this.tail.subarray(SIGNATURE_SIZE);
    this.database.finishSnapshot(this.zxid);
    const { tree, sessions } = this.database;
    return { tree, sessions: [...sessions.values()] };
  }

  rest(): Buffer {
    return this.tail;
  }

  private readBody(): boolean {
    const { reader, database } = this;
    const fed = feedSnapshot(database, reader);
    if (fed.kind === 'need-more') return false;
    if (fed.kind === 'invalid') throw new JuteError(`snapshot: damaged ${faultOf(fed)}`);
    this.isBodyRead = true;
    this.tail = reader.takeRest();
    return true;
  }
}
