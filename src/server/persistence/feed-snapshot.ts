import { InvariantError } from '../../base/assert.js';
import type { SnapshotReader } from '../../files/snapshot-reader.js';
import type { Database } from './replay.js';

export type Fed =
  | { readonly kind: 'need-more' }
  | { readonly kind: 'end' }
  | { readonly kind: 'invalid'; readonly offset: number; readonly reason: string };

/** Moves items into the database. Only a file has the digest of the tree at its end. */
export function feedSnapshot(database: Database, reader: SnapshotReader): Fed {
  try {
    return feed(database, reader);
  } catch (error) {
    // The tree refuses input that no server writes, such as a znode without a parent.
    if (!(error instanceof InvariantError)) throw error;
    return { kind: 'invalid', offset: reader.offset, reason: error.message };
  }
}

function feed(database: Database, reader: SnapshotReader): Fed {
  for (;;) {
    while (reader.skipNode()) database.addNode(reader.node);
    const item = reader.next();
    switch (item.kind) {
      case 'session':
        database.addSession(item.id, item.timeoutMs);
        break;
      case 'acl':
        database.addAcl(item.key, item.acl);
        break;
      case 'node':
        database.addNode(reader.node);
        break;
      case 'digest':
        database.compareAfter = item.zxid;
        database.sealed = item;
        break;
      case 'lastProcessedZxid':
        database.reachedZxid = item.zxid;
        break;
      case 'valid':
        break;
      case 'end':
        database.tree.isFuzzy = database.sealed === null;
        return item;
      default:
        return item;
    }
  }
}

/** The error in the snapshot so far, or undefined. */
export function faultOf(fed: Fed): string | undefined {
  return fed.kind === 'invalid' ? `at offset ${fed.offset}: ${fed.reason}` : undefined;
}
