/** The exports of `zksh/client`. */

export type { Data } from '../protocol/check-argument.js';
export { type CreateMode, CreateModes } from '../protocol/create-mode.js';
export type { ACL, ClientInfo, Id, Stat } from '../protocol/data.js';
export { ErrorCode, type ErrorName } from '../protocol/error-code.js';
export {
  CREATOR_ALL_ACL,
  OPEN_ACL_UNSAFE,
  Perms,
  READ_ACL_UNSAFE,
} from '../protocol/perms.js';
export type { DigestLogin, KerberosOptions } from '../protocol/sasl-login.js';
export { AddWatchMode, WatcherType } from '../protocol/watch-event.js';
export type * from './base/client.js';
export type { ClientMetrics } from './base/client-metrics.js';
export type { ClientOptions } from './base/client-options.js';
export type { ConfigChange } from './base/config-change.js';
export {
  type ConnectString,
  formatServerAddress,
  parseConnectString,
  type ServerAddress,
  secured,
} from './base/connect-string.js';
export {
  ClosedError,
  ConnectError,
  type ErrorDetails,
  type FailedAttempt,
  MultiError,
  RequestAbortedError,
  TimeoutError,
  UnsupportedError,
  ZooKeeperError,
} from './base/errors.js';
export { type AskOptions, askWord } from './base/four-letter.js';
export { type ClientSasl, type KerberosSasl, kerberos } from './base/kerberos.js';
export { SocketFault, type SocketFaultReason } from './base/socket-fault.js';
export { TlsOptionError, type TlsOptions, type TlsStore, type TlsVersion } from './base/tls.js';
export { decodedTrace, type WireEvent, type WireTap } from './base/wire-trace.js';
export type { RequestContext } from './calls/diagnostics.js';
export {
  connectTo,
  dnsSrvHosts,
  type FollowOptions,
  type HostProvider,
} from './hosts/host-provider.js';
export type { LookUp, SrvRecord } from './hosts/srv-target.js';
export { createNativeClient } from './native/native.js';
export { type RetryOptions, type RetryPolicy, retry } from './retry/policy.js';
export { retryingClient } from './retry/retrying-client.js';
export {
  type Codec,
  getValue,
  jsonCodec,
  setValue,
  type UpdateOptions,
  updateValue,
  type ValueAndStat,
  ValueError,
} from './znodes/codec.js';
export { createIfMissing, type MkdirpOptions, mkdirp } from './znodes/create.js';
export type { Pace } from './znodes/pace.js';
export {
  type Checked,
  type Created,
  type DataSet,
  type Deleted,
  type Transaction,
  transaction,
} from './znodes/transaction.js';
export {
  type CacheChange,
  type CachedZnode,
  openTreeCache,
  type TreeCache,
  type TreeCacheOptions,
} from './znodes/tree-cache.js';
export {
  type DeleteAllOptions,
  deleteAll,
  type WalkedZnode,
  type WalkOptions,
  walk,
} from './znodes/walk.js';
export { createClient, type DataAndStat, ZooKeeper } from './zookeeper.js';
