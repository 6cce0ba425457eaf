import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CreateModes,
  containerOwner,
  createModeOf,
  ephemeralTypeOf,
  MAX_TTL_MS,
  ttlOfOwner,
  ttlOwner,
} from '../../src/protocol/create-mode.js';
import { ErrorCode, errorMessage, errorName } from '../../src/protocol/error-code.js';
import { OpCode, opCodeName, Xid } from '../../src/protocol/op-code.js';
import {
  CREATOR_ALL_ACL,
  formatPerms,
  OPEN_ACL_UNSAFE,
  Perms,
  parsePerms,
  READ_ACL_UNSAFE,
} from '../../src/protocol/perms.js';
import {
  AddWatchMode,
  EventType,
  eventTypeName,
  KeeperState,
  WatcherType,
} from '../../src/protocol/watch-event.js';
import { formatZxid, hex64, zxidCounter, zxidEpoch } from '../../src/protocol/zxid.js';

// Numbers and words as Apache ZooKeeper 3.9 has them: a change here is a change of the protocol.

test('operations', () => {
  assert.equal(
    Object.entries(OpCode).map(([name, code]) => `${code} ${name}`),
    [
      '0 notification',
      '1 create',
      '2 delete',
      '3 exists',
      '4 getData',
      '5 setData',
      '6 getACL',
      '7 setACL',
      '8 getChildren',
      '9 sync',
      '11 ping',
      '12 getChildren2',
      '13 check',
      '14 multi',
      '15 create2',
      '16 reconfig',
      '17 checkWatches',
      '18 removeWatches',
      '19 createContainer',
      '20 deleteContainer',
      '21 createTTL',
      '22 multiRead',
      '100 auth',
      '101 setWatches',
      '102 sasl',
      '103 getEphemerals',
      '104 getAllChildrenNumber',
      '105 setWatches2',
      '106 addWatch',
      '107 whoAmI',
      '-10 createSession',
      '-11 closeSession',
      '-1 error',
    ],
  );
  assert.is(opCodeName(15), 'create2');
  assert.is(opCodeName(-11), 'closeSession');
  assert.is(opCodeName(10), 'op 10');
  assert.equal(Xid, { notification: -1, ping: -2, auth: -4, setWatches: -8 });
});

/** KeeperException.Code, and what getCodeMessage says of it. */
const ERRORS: readonly (readonly [name: string, code: number, message: string])[] = [
  ['OK', 0, 'ok'],
  ['SYSTEMERROR', -1, 'SystemError'],
  ['RUNTIMEINCONSISTENCY', -2, 'RuntimeInconsistency'],
  ['DATAINCONSISTENCY', -3, 'DataInconsistency'],
  ['CONNECTIONLOSS', -4, 'ConnectionLoss'],
  ['MARSHALLINGERROR', -5, 'MarshallingError'],
  ['UNIMPLEMENTED', -6, 'Unimplemented'],
  ['OPERATIONTIMEOUT', -7, 'OperationTimeout'],
  ['BADARGUMENTS', -8, 'BadArguments'],
  ['UNKNOWNSESSION', -12, 'Unknown session'],
  ['NEWCONFIGNOQUORUM', -13, 'No quorum of new config is connected and up-to-date'],
  ['RECONFIGINPROGRESS', -14, 'Another reconfiguration is in progress'],
  ['APIERROR', -100, 'APIError'],
  ['NONODE', -101, 'NoNode'],
  ['NOAUTH', -102, 'NoAuth'],
  ['BADVERSION', -103, 'BadVersion'],
  ['NOCHILDRENFOREPHEMERALS', -108, 'NoChildrenForEphemerals'],
  ['NODEEXISTS', -110, 'NodeExists'],
  ['NOTEMPTY', -111, 'Directory not empty'],
  ['SESSIONEXPIRED', -112, 'Session expired'],
  ['INVALIDCALLBACK', -113, 'Invalid callback'],
  ['INVALIDACL', -114, 'InvalidACL'],
  ['AUTHFAILED', -115, 'AuthFailed'],
  ['SESSIONMOVED', -118, 'Session moved'],
  ['NOTREADONLY', -119, 'Not a read-only call'],
  ['EPHEMERALONLOCALSESSION', -120, 'Ephemeral node on local session'],
  ['NOWATCHER', -121, 'No such watcher'],
  ['REQUESTTIMEOUT', -122, 'Request timeout'],
  ['RECONFIGDISABLED', -123, 'Reconfig is disabled'],
  ['SESSIONCLOSEDREQUIRESASLAUTH', -124, 'Session closed because client failed to authenticate'],
  ['QUOTAEXCEEDED', -125, 'Quota has exceeded'],
  ['THROTTLEDOP', -127, 'Op throttled due to high load'],
];

test('errors', () => {
  assert.equal(
    Object.entries(ErrorCode),
    ERRORS.map(([name, code]) => [name, code]),
  );
  for (const [name, code, message] of ERRORS) {
    assert.is(errorName(code), name);
    assert.is(errorMessage(code), message);
  }
  assert.is(errorName(-99), undefined);
  assert.is(errorMessage(-99), 'Unknown error -99');
});

test('create modes', () => {
  assert.equal(
    Object.entries(CreateModes).map(([key, mode]) => [
      mode.flag,
      key,
      mode.isEphemeral,
      mode.isSequential,
      mode.isContainer,
      mode.isTTL,
    ]),
    [
      [0, 'PERSISTENT', false, false, false, false],
      [1, 'EPHEMERAL', true, false, false, false],
      [2, 'PERSISTENT_SEQUENTIAL', false, true, false, false],
      [3, 'EPHEMERAL_SEQUENTIAL', true, true, false, false],
      [4, 'CONTAINER', false, false, true, false],
      [5, 'PERSISTENT_WITH_TTL', false, false, false, true],
      [6, 'PERSISTENT_SEQUENTIAL_WITH_TTL', false, true, false, true],
    ],
  );
  for (const [name, mode] of Object.entries(CreateModes)) {
    assert.is(mode.name, name);
    assert.is(createModeOf(mode.flag), mode);
  }
  for (const flag of [-1, 7, 100, 0x7fff_ffff]) assert.is(createModeOf(flag), undefined);
});

test('what the owner of a znode says', () => {
  assert.is(ephemeralTypeOf(0n, true), 'none');
  assert.is(ephemeralTypeOf(0x1000_0000_0000_0001n, true), 'session');
  assert.is(ephemeralTypeOf(containerOwner(), true), 'container');
  assert.is(ephemeralTypeOf(containerOwner(), false), 'container');
  assert.is(ephemeralTypeOf(ttlOwner(1n), true), 'ttl');
  // Without extended types 0xff on top is the sid of a server.
  assert.is(ephemeralTypeOf(ttlOwner(1n), false), 'session');
  assert.is(containerOwner(), BigInt.asIntN(64, 0x8000_0000_0000_0000n));
});

test('a time to live is kept in 40 bits of the owner', () => {
  for (const ttl of [1n, 60_000n, MAX_TTL_MS]) {
    assert.is(BigInt.asUintN(64, ttlOwner(ttl)) >> 56n, 0xffn);
    assert.is(ttlOfOwner(ttlOwner(ttl)), ttl);
    assert.is(ttlOwner(ttl), BigInt.asIntN(64, ttlOwner(ttl)));
  }
  assert.is(MAX_TTL_MS, (1n << 40n) - 1n);
});

test('permissions', () => {
  assert.equal(Perms, { READ: 1, WRITE: 2, CREATE: 4, DELETE: 8, ADMIN: 16, ALL: 31 });
  assert.is(formatPerms(31), 'cdrwa');
  assert.is(formatPerms(0), '');
  assert.is(formatPerms(1), 'r');
  assert.is(formatPerms(32), '');
  for (let perms = 1; perms < 32; perms++) assert.is(parsePerms(formatPerms(perms)), perms);
  assert.is(parsePerms('awrdc'), 31);
  assert.is(parsePerms('rr'), 1);
  assert.is(parsePerms(''), undefined);
  assert.is(parsePerms('x'), undefined);
  assert.is(parsePerms('rx'), undefined);
});

test('the well-known ACLs', () => {
  const anyone = { scheme: 'world', id: 'anyone' };
  assert.equal(OPEN_ACL_UNSAFE, [{ perms: 31, id: anyone }]);
  assert.equal(READ_ACL_UNSAFE, [{ perms: 1, id: anyone }]);
  assert.equal(CREATOR_ALL_ACL, [{ perms: 31, id: { scheme: 'auth', id: '' } }]);
});

test('watch events', () => {
  assert.equal(EventType, {
    None: -1,
    NodeCreated: 1,
    NodeDeleted: 2,
    NodeDataChanged: 3,
    NodeChildrenChanged: 4,
    DataWatchRemoved: 5,
    ChildWatchRemoved: 6,
    PersistentWatchRemoved: 7,
  });
  for (const [name, code] of Object.entries(EventType)) assert.is(eventTypeName(code), name);
  assert.is(eventTypeName(8), undefined);
  assert.equal(KeeperState, {
    Disconnected: 0,
    SyncConnected: 3,
    AuthFailed: 4,
    ConnectedReadOnly: 5,
    SaslAuthenticated: 6,
    Expired: -112,
    Closed: 7,
  });
  assert.equal(AddWatchMode, { PERSISTENT: 0, PERSISTENT_RECURSIVE: 1 });
  assert.equal(WatcherType, {
    Children: 1,
    Data: 2,
    Any: 3,
    Persistent: 4,
    PersistentRecursive: 5,
  });
});

test('a zxid is an epoch and a counter', () => {
  for (const [epoch, counter, zxid] of [
    [0, 0, 0n],
    [1, 8, 0x1_0000_0008n],
    [0, 0xffff_ffff, 0xffff_ffffn],
    [0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffffn],
  ] as const) {
    assert.is(zxidEpoch(zxid), epoch);
    assert.is(zxidCounter(zxid), counter);
  }
});

test('a zxid is printed in hex, a negative one with its 64 bits', () => {
  assert.is(formatZxid(0x1_0000_0008n), '0x100000008');
  assert.is(formatZxid(0n), '0x0');
  assert.is(hex64(-1n), 'ffffffffffffffff');
  assert.is(hex64(-0x8000_0000_0000_0000n), '8000000000000000');
});

test.run();
