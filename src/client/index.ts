/** The exports of `zksh/client`. */

export { type CreateMode, CreateModes } from '../protocol/create-mode.js';
export type { ACL, ClientInfo, Id, Stat } from '../protocol/data.js';
export { ErrorCode, type ErrorName } from '../protocol/error-code.js';
export {
  CREATOR_ALL_ACL,
  OPEN_ACL_UNSAFE,
  Perms,
  READ_ACL_UNSAFE,
} from '../protocol/perms.js';
export { AddWatchMode, WatcherType } from '../protocol/watch-event.js';
export type * from './client.js';
export {
  formatServerAddress,
  parseConnectString,
  type ServerAddress,
  secured,
} from './connect-string.js';
export { ConnectError, MultiError, UnsupportedError, ZooKeeperError } from './errors.js';
export { type AskOptions, askWord } from './four-letter.js';
export { createNativeClient } from './native.js';
export { SocketFault, type SocketFaultReason } from './socket-fault.js';
export type { TlsOptions } from './tls.js';
export { createClient, ZooKeeper } from './zookeeper.js';
