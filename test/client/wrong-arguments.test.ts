import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WireTrace } from '../../src/client/base/wire-trace.js';
import * as entry from '../../src/client/index.js';
import {
  argument,
  type Call,
  faultsOf,
  type Kind,
  unknownNameFaults,
} from '../support/arguments/wrong-kinds.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { clientCalls } from './client-calls.js';
import { convenienceCalls } from './convenience-calls.js';

// A JavaScript caller passes every wrong kind of value as every argument. Each is refused with a
// sentence before anything is sent, and the session continues.

const TEXT: readonly Kind[] = ['string', "''"];
const TIME: readonly Kind[] = ['undefined', 'number'];
const TLS = {
  ca: undefined,
  cert: undefined,
  key: undefined,
  keyStore: undefined,
  trustStore: undefined,
  passphrase: undefined,
  servername: 'a',
  minVersion: undefined,
  maxVersion: undefined,
  ciphers: undefined,
  isNameVerified: true,
  isVerified: true,
  isOcspChecked: false,
  isCrlChecked: false,
};
const tlsArguments = (...place: [number, ...(string | number)[]]) => [
  argument(place, 'undefined', 'object'),
  // Text that is not PEM is refused when it is read.
  ...['ca', 'cert', 'key'].map((key) =>
    argument([...place, key], 'undefined', ...TEXT, 'lone surrogate'),
  ),
  ...['passphrase', 'servername', 'ciphers'].map((key) =>
    argument([...place, key], 'undefined', ...TEXT),
  ),
  ...['minVersion', 'maxVersion'].map((key) => argument([...place, key], 'undefined')),
  ...['isNameVerified', 'isVerified'].map((key) =>
    argument([...place, key], 'undefined', 'boolean'),
  ),
  argument([...place, 'keyStore'], 'undefined'),
  argument([...place, 'trustStore'], 'undefined'),
  argument([...place, 'isOcspChecked'], 'undefined', 'boolean'),
  argument([...place, 'isCrlChecked'], 'undefined', 'boolean'),
];
const OPTIONS_ARGUMENTS = [
  argument([0]),
  argument([0, 'connectString'], 'string'),
  ...['sessionTimeoutMs', 'connectTimeoutMs', 'connectRounds', 'maxFrameLength'].map((key) =>
    argument([0, key], ...TIME),
  ),
  argument([0, 'requestTimeoutMs'], ...TIME),
  argument([0, 'canBeReadOnly'], 'undefined', 'boolean'),
  argument([0, 'renewSession'], 'undefined', 'boolean'),
  argument([0, 'isUnknownHostFinal'], 'undefined', 'boolean'),
  argument([0, 'shouldShuffle'], 'undefined', 'boolean'),
  argument([0, 'shouldResetWatches'], 'undefined', 'boolean'),
  argument([0, 'trace'], 'undefined', 'function'),
  argument([0, 'metrics'], 'undefined', 'object'),
  argument([0, 'metrics', 'request'], 'undefined', 'function'),
  argument([0, 'metrics', 'traffic'], 'undefined', 'function'),
  argument([0, 'metrics', 'state'], 'undefined', 'function'),
  argument([0, 'metrics', 'event'], 'undefined', 'function'),
  argument([0, 'session'], 'undefined'),
  argument([0, 'session', 'id'], 'bigint'),
  argument([0, 'session', 'password']),
  argument([0, 'sasl'], 'undefined'),
  argument([0, 'sasl', 'user'], ...TEXT),
  argument([0, 'sasl', 'password'], ...TEXT),
  ...tlsArguments(0, 'tls'),
];
const KERBEROS = {
  principal: 'alice',
  keytab: '/k',
  ticketCache: '/c',
  krb5Conf: '/k',
  servicePrincipal: 'a/b',
  serviceName: 'a',
  serviceRealm: 'A',
  isHostCanonicalized: true,
};
const KERBEROS_ARGUMENTS = [
  argument([0], 'object'),
  argument([0, 'principal'], ...TEXT),
  ...['keytab', 'ticketCache', 'krb5Conf', 'servicePrincipal', 'serviceName', 'serviceRealm'].map(
    (key) => argument([0, key], 'undefined', ...TEXT),
  ),
  argument([0, 'isHostCanonicalized'], 'undefined', 'boolean'),
];
const CLIENT_OPTIONS = {
  sasl: { user: 'alice', password: 'secret' },
  connectString: '127.0.0.1:1',
  metrics: {},
  session: { id: 1n, password: Buffer.alloc(16) },
  tls: TLS,
};
const ADDRESS_ARGUMENTS = [
  argument([0]),
  argument([0, 'host'], ...TEXT),
  argument([0, 'port'], 'number'),
  argument([0, 'isSecure'], 'undefined', 'boolean'),
];
const ADDRESS = { host: '127.0.0.1', port: 1 };
const ASK_ARGUMENTS = [
  ...ADDRESS_ARGUMENTS,
  argument([1], ...TEXT),
  argument([2], 'undefined', 'object'),
  ...['timeoutMs', 'connectTimeoutMs', 'readTimeoutMs'].map((key) =>
    argument([2, key], 'undefined', 'number'),
  ),
  argument([2, 'signal'], 'undefined'),
  ...tlsArguments(2, 'tls'),
];

const FUNCTIONS: readonly Call[] = [
  ...convenienceCalls(),
  {
    name: 'ZooKeeper',
    args: [CLIENT_OPTIONS],
    wrong: OPTIONS_ARGUMENTS,
    run: (options: entry.ClientOptions) => new entry.ZooKeeper(options),
  },
  {
    name: 'createClient',
    args: [CLIENT_OPTIONS],
    wrong: OPTIONS_ARGUMENTS,
    run: entry.createClient,
  },
  {
    name: 'kerberos',
    args: [KERBEROS],
    wrong: KERBEROS_ARGUMENTS,
    run: entry.kerberos,
  },
  {
    name: 'decodedTrace',
    args: [() => undefined],
    wrong: [argument([0], 'function')],
    run: entry.decodedTrace,
  },
  {
    name: 'createNativeClient',
    args: [CLIENT_OPTIONS],
    wrong: OPTIONS_ARGUMENTS,
    run: entry.createNativeClient,
  },
  {
    name: 'askWord',
    args: [ADDRESS, 'ruok', { tls: TLS }],
    wrong: ASK_ARGUMENTS,
    run: entry.askWord,
  },
  {
    name: 'formatServerAddress',
    args: [ADDRESS],
    wrong: ADDRESS_ARGUMENTS,
    run: entry.formatServerAddress,
  },
  { name: 'secured', args: [ADDRESS], wrong: ADDRESS_ARGUMENTS, run: entry.secured },
  {
    name: 'parseConnectString',
    args: ['a'],
    wrong: [argument([0], 'string')],
    run: entry.parseConnectString,
  },
];

/** Errors: the library throws them, and programs catch them. */
const MADE_BY_US = [
  'ClosedError',
  'ConnectError',
  'MultiError',
  'RequestAbortedError',
  'SocketFault',
  'TimeoutError',
  'TlsOptionError',
  'UnsupportedError',
  'ValueError',
  'ZooKeeperError',
];

async function allFaults(calls: readonly Call[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const call of calls) faults.push(...(await faultsOf(call)));
  return faults;
}

/** Objects of the program, and options that the client of the program checks. */
const WITH_OTHERS = [
  'mode',
  'metrics',
  'getValue 2',
  'setValue 2',
  'updateValue 2',
  'connectTo 0',
  'askWord 0',
  'formatServerAddress 0',
  'secured 0',
  'createIfMissing 3',
];

async function allUnknownNames(calls: readonly Call[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const call of calls) faults.push(...(await unknownNameFaults(call, WITH_OTHERS)));
  return faults;
}

test('functions refuse every option of an unknown name', async () => {
  assert.equal(await allUnknownNames(FUNCTIONS), []);
});

test('clients refuse every option of an unknown name', async () => {
  for (const create of [entry.createClient, entry.createNativeClient]) {
    const client = create({ connectString: '127.0.0.1:1' });
    assert.equal(await allUnknownNames(clientCalls(client)), []);
    await client.close();
  }
});

test('the walk knows every function of the entry and every method of a client', () => {
  const functions = Object.entries(entry)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
  const known = FUNCTIONS.map(({ name }) => name).filter((name) => !name.includes('.'));
  assert.equal([...known, ...MADE_BY_US].sort(), functions.sort());
  const { prototype } = entry.ZooKeeper;
  const internal = [
    'constructor',
    'guarded',
    'read',
    'readPath',
    'request',
    'authenticate',
    'measure',
    'serverPath',
    'toOwn',
    'changedState',
    'connectUnasked',
    'toJSON',
    'ref',
    'unref',
  ];
  const base = Object.getPrototypeOf(prototype);
  const methods = [prototype, base, Object.getPrototypeOf(base)].flatMap((each: object) =>
    Object.entries(Object.getOwnPropertyDescriptors(each))
      .filter(([name, { value }]) => typeof value === 'function' && !internal.includes(name))
      .map(([name]) => name),
  );
  const client = entry.createClient({ connectString: 'a' });
  const called = new Set(clientCalls(client).map(({ name }) => name));
  assert.equal([...called].sort(), methods.sort());
});

test('functions refuse every wrong kind of argument', async () => {
  assert.equal(await allFaults(FUNCTIONS), []);
});

test('a client refuses every wrong kind of argument, sends nothing, and continues', async () => {
  const stray: unknown[] = [];
  const onStray = (error: unknown): void => {
    stray.push(error);
  };
  process.on('unhandledRejection', onStray);
  const server = await startBundled({ config: { tickTime: '100' } });
  const sent: string[] = [];
  let pings = 0;
  const tell = (event: { kind: string; op?: string }): void => {
    if (event.kind === 'answer' && event.op === 'ping') pings++;
    if (event.kind === 'request' && event.op !== 'ping') sent.push(event.op ?? '');
  };
  const client = entry.createClient({
    connectString: server.connectString,
    sessionTimeoutMs: 2000,
    trace: () => new WireTrace({ isOn: true, tell }),
  });
  try {
    await client.connect();
    await client.create('/a', 'was');
    sent.length = 0;
    assert.equal(await allFaults(clientCalls(client)), []);
    const before = pings;
    await waitFor('a ping with a response', () => pings > before);
    assert.equal(sent, []);
    assert.is(String((await client.getData('/a')).data), 'was');
    assert.equal(stray, []);
  } finally {
    process.off('unhandledRejection', onStray);
    await client.close();
    await server.close();
  }
});

test('the native client refuses every wrong kind of argument', async () => {
  const client = entry.createNativeClient({ connectString: '127.0.0.1:1' });
  try {
    assert.equal(await allFaults(clientCalls(client)), []);
  } finally {
    await client.close();
  }
});

test('strings are written as UTF-8, bytes unchanged, null as null', async () => {
  const server = await startBundled();
  const client = entry.createClient({ connectString: server.connectString });
  try {
    await client.connect();
    await client.create('/a', 'h\u00e9llo \ud83d\ude00');
    assert.is(String((await client.getData('/a')).data), 'h\u00e9llo \ud83d\ude00');
    await client.setData('/a', '1234');
    assert.is(String((await client.getData('/a')).data), '1234');
    await client.setData('/a', new Uint8Array([0, 255, 7]).subarray(1));
    assert.equal((await client.getData('/a')).data, Buffer.from([255, 7]));
    await client.setData('/a', null);
    assert.is((await client.getData('/a')).data, null);
    await client.multi([{ op: 'set', path: '/a', data: 'in a multi' }]);
    assert.is(String((await client.getData('/a')).data), 'in a multi');
  } finally {
    await client.close();
    await server.close();
  }
});

test.run();
