import { connect, createServer, Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TlsGate, type TlsGateOptions } from '../../../../src/server/node/tls/tls-gate.js';
import { makeAuthority } from '../../../support/tls/certs.js';
import { talk } from '../../../support/tls/tls-world.js';
import { waitFor } from '../../../support/wait-for.js';

interface GateWorld {
  readonly port: number;
  readonly gate: TlsGate;
  readonly failures: string[];
  /** "limit value" of each report. */
  readonly limits: string[];
  /** Subjects of accepted clients. */
  readonly accepted: (string | undefined)[];
  readonly ca: string;
}

/** A gate that waits `patienceMs` for bytes and handshakes, and closes accepted clients. */
async function withGate(
  patienceMs: number,
  run: (world: GateWorld) => Promise<void>,
  options: Partial<TlsGateOptions> = {},
): Promise<void> {
  const authority = makeAuthority();
  const { key, cert } = authority.issue({ names: ['localhost'] });
  const failures: string[] = [];
  const limits: string[] = [];
  const accepted: (string | undefined)[] = [];
  const gate = new TlsGate({
    tls: {
      context: { key, cert, ca: authority.cert },
      clientAuth: 'need',
      isClientNameChecked: false,
      isReverseLookupAllowed: false,
      isOcspAsked: false,
      isCrlAsked: false,
      needOption: 'ssl.clientAuth=need',
      files: [],
    },
    maxHandshakes: 0,
    maxPerAddress: 0,
    detectionTimeoutMs: patienceMs,
    handshakeTimeoutMs: patienceMs,
    accept: (socket, subject) => {
      accepted.push(subject);
      socket.resume().end('hello');
    },
    onFailure: (reason) => failures.push(reason),
    onTooMany: () => failures.push('too many'),
    onRejected: () => failures.push('crowd'),
    onLimit: (limit, from, value) => limits.push(`${limit} ${value} ${from}`),
    ...options,
  });
  const listener = createServer({ allowHalfOpen: true }, (socket) => gate.take(socket));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    await run({ port, gate, failures, limits, accepted, ca: authority.cert });
  } finally {
    gate.close();
    await new Promise((resolve) => listener.close(resolve));
  }
}

/** Sends some bytes and waits until the other side has closed. */
function sendAndWait(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      if (bytes.length > 0) socket.write(bytes);
    });
    socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

test('silent connections and incomplete handshakes end after a timeout', () =>
  withGate(50, async ({ port, gate, failures, limits }) => {
    await sendAndWait(port, Buffer.alloc(0));
    assert.match(failures[0] ?? '', /^127\.0\.0\.1:\d+ sent nothing for 50 ms$/);
    await sendAndWait(port, Buffer.from('1603010200', 'hex'));
    assert.match(failures[1] ?? '', 'did not finish its handshake in time');
    await waitFor('no handshake', () => gate.outstanding === 0);
    const late = 'tlsHandshakeTime 50 127.0.0.1';
    assert.equal(limits, [late, late]);
  }));

const CROWDS = [
  { limit: 'tlsHandshakes', option: 'maxHandshakes', failure: 'too many' },
  { limit: 'connectionsPerAddress', option: 'maxPerAddress', failure: 'crowd' },
] as const;

for (const { limit, option, failure } of CROWDS) {
  test(`one connection above ${option} is closed, and reported with the limit`, () =>
    withGate(
      60_000,
      async ({ port, gate, failures, limits }) => {
        const begun = Buffer.from('1603010200', 'hex');
        const first = connect(port, '127.0.0.1', () => first.write(begun));
        first.on('error', () => undefined);
        await waitFor('a handshake', () => gate.outstanding === 1);
        await sendAndWait(port, begun);
        assert.equal(limits, [`${limit} 1 127.0.0.1`]);
        assert.equal(failures, [failure]);
        assert.is(gate.outstanding, 1);
        first.destroy();
      },
      { [option]: 1 },
    ));
}

test('a client that disconnects early does not count for its address and does no harm', () =>
  withGate(60_000, async ({ gate, failures }) => {
    const gone = [new Socket(), new Socket()];
    for (const socket of gone) gate.take(socket);
    assert.ok(gone.every(({ destroyed }) => destroyed));
    assert.is(gate.outstanding, 0);
    assert.equal(failures, []);
  }));

test('the reason for a refusal is a sentence', () =>
  withGate(60_000, async ({ port, failures, accepted, ca }) => {
    await sendAndWait(port, Buffer.from('ruok'));
    assert.match(failures[0] ?? '', 'spoke without TLS');
    await talk(port, { ca });
    await waitFor('the second', () => failures.length === 2);
    assert.match(failures[1] ?? '', 'sent no certificate, which ssl.clientAuth=need requires');
    const stranger = makeAuthority('Elsewhere').issue({ names: ['stranger'] });
    await talk(port, { ca, ...stranger });
    await waitFor('the third', () => failures.length === 3);
    assert.match(failures[2] ?? '', 'has a certificate that is not accepted (UNABLE_TO_VERIFY');
    await talk(port, {
      ca,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1.1',
      ciphers: 'DEFAULT:@SECLEVEL=0',
    });
    await waitFor('the fourth', () => failures.length === 4);
    assert.match(failures[3] ?? '', 'supports no version of TLS that this server accepts');
    assert.equal(accepted, []);
  }));

test('with a certificate that has the name of its authority, a client may have one, too', async () => {
  const authority = makeAuthority();
  const subject = [[['CN', 'Test CA']]] as const;
  const { key, cert } = authority.issue({ subject, names: ['localhost'] });
  const tls = {
    context: { key, cert, ca: authority.cert },
    clientAuth: 'need',
    isClientNameChecked: false,
    isReverseLookupAllowed: false,
    isOcspAsked: false,
    isCrlAsked: false,
    needOption: 'ssl.clientAuth=need',
    files: [],
  } as const;
  await withGate(
    60_000,
    async ({ port, failures, accepted }) => {
      const checkServerIdentity = () => undefined;
      const options = { rejectUnauthorized: false, checkServerIdentity };
      await talk(port, { ...options, ...authority.issue({ subject }) });
      await waitFor('the client', () => accepted.length === 1);
      assert.equal(accepted, ['CN=Test CA']);
      await talk(port, { ...options, ...makeAuthority().issue({ subject }) });
      await waitFor('a refusal', () => failures.length === 1);
      assert.match(failures[0] ?? '', 'is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)');
      await talk(port, options);
      await waitFor('another refusal', () => failures.length === 2);
      assert.match(failures[1] ?? '', 'sent no certificate, which ssl.clientAuth=need requires');
      assert.is(accepted.length, 1);
    },
    { tls },
  );
});

test.run();
