/** The exports of `zksh/compat/node-zookeeper-client`: those of npm's node-zookeeper-client. */
import { createClient } from './client.js';
import { ACL, CreateMode, Event, Exception, Id, Permission, State } from './values.js';

export type {
  Callback,
  ChildrenCallback,
  DataCallback,
  EventListener,
  Part,
  PathCallback,
  StatCallback,
} from './calls.js';
export { type Client, createClient, type Options } from './client.js';
export type { Stat } from './convert.js';
export type { CommitCallback, Transaction, TransactionResult } from './transaction.js';
export { ACL, CreateMode, Event, Exception, Id, Permission, State } from './values.js';

/** What `require` of the old package returns. */
export default { createClient, ACL, CreateMode, Event, Exception, Id, Permission, State };
