/** The results of a server, with names and numbers of KeeperException.Code. */
export const ErrorCode = {
  OK: 0,
  SYSTEMERROR: -1,
  RUNTIMEINCONSISTENCY: -2,
  DATAINCONSISTENCY: -3,
  CONNECTIONLOSS: -4,
  MARSHALLINGERROR: -5,
  UNIMPLEMENTED: -6,
  OPERATIONTIMEOUT: -7,
  BADARGUMENTS: -8,
  UNKNOWNSESSION: -12,
  NEWCONFIGNOQUORUM: -13,
  RECONFIGINPROGRESS: -14,
  APIERROR: -100,
  NONODE: -101,
  NOAUTH: -102,
  BADVERSION: -103,
  NOCHILDRENFOREPHEMERALS: -108,
  NODEEXISTS: -110,
  NOTEMPTY: -111,
  SESSIONEXPIRED: -112,
  INVALIDCALLBACK: -113,
  INVALIDACL: -114,
  AUTHFAILED: -115,
  SESSIONMOVED: -118,
  NOTREADONLY: -119,
  EPHEMERALONLOCALSESSION: -120,
  NOWATCHER: -121,
  REQUESTTIMEOUT: -122,
  RECONFIGDISABLED: -123,
  SESSIONCLOSEDREQUIRESASLAUTH: -124,
  QUOTAEXCEEDED: -125,
  THROTTLEDOP: -127,
} as const;
/** The codes of a ZooKeeperError: "NONODE". */
export type ErrorName = keyof typeof ErrorCode;
export type ErrorCode = (typeof ErrorCode)[ErrorName];

/** The text of Apache's clients after "KeeperErrorCode = ". */
const MESSAGES: Readonly<Record<ErrorName, string>> = {
  OK: 'ok',
  SYSTEMERROR: 'SystemError',
  RUNTIMEINCONSISTENCY: 'RuntimeInconsistency',
  DATAINCONSISTENCY: 'DataInconsistency',
  CONNECTIONLOSS: 'ConnectionLoss',
  MARSHALLINGERROR: 'MarshallingError',
  UNIMPLEMENTED: 'Unimplemented',
  OPERATIONTIMEOUT: 'OperationTimeout',
  BADARGUMENTS: 'BadArguments',
  UNKNOWNSESSION: 'Unknown session',
  NEWCONFIGNOQUORUM: 'No quorum of new config is connected and up-to-date',
  RECONFIGINPROGRESS: 'Another reconfiguration is in progress',
  APIERROR: 'APIError',
  NONODE: 'NoNode',
  NOAUTH: 'NoAuth',
  BADVERSION: 'BadVersion',
  NOCHILDRENFOREPHEMERALS: 'NoChildrenForEphemerals',
  NODEEXISTS: 'NodeExists',
  NOTEMPTY: 'Directory not empty',
  SESSIONEXPIRED: 'Session expired',
  INVALIDCALLBACK: 'Invalid callback',
  INVALIDACL: 'InvalidACL',
  AUTHFAILED: 'AuthFailed',
  SESSIONMOVED: 'Session moved',
  NOTREADONLY: 'Not a read-only call',
  EPHEMERALONLOCALSESSION: 'Ephemeral node on local session',
  NOWATCHER: 'No such watcher',
  REQUESTTIMEOUT: 'Request timeout',
  RECONFIGDISABLED: 'Reconfig is disabled',
  SESSIONCLOSEDREQUIRESASLAUTH: 'Session closed because client failed to authenticate',
  QUOTAEXCEEDED: 'Quota has exceeded',
  THROTTLEDOP: 'Op throttled due to high load',
};

const NAMES = new Map<number, ErrorName>(
  (Object.entries(ErrorCode) as [ErrorName, number][]).map(([name, code]) => [code, name]),
);

/** The name of a code, or undefined for an unknown number. */
export function errorName(code: number): ErrorName | undefined {
  return NAMES.get(code);
}

/** The short text of Apache's clients for a code: "NoNode", or "Unknown error -99". */
export function errorMessage(code: number): string {
  const name = NAMES.get(code);
  return name === undefined ? `Unknown error ${code}` : MESSAGES[name];
}
