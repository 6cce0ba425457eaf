import { createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KerberosError } from '../../../src/kerberos/kerberos-error.js';
import { askKdcs, KDC_LIMITS } from '../../../src/kerberos/node/kerberos-client.js';
import { PEER_LIMITS } from '../../../src/server/limits/peer-limits.js';
import { freePort } from '../../support/machine/free-port.js';

type Play = (socket: Socket, question: Buffer) => void;

async function withKdc(
  play: Play,
  use: (kdc: { host: string; port: number }) => Promise<void>,
): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (question: Buffer) => play(socket, question));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as { port: number };
    await use({ host: '127.0.0.1', port });
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

const framed = (text: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, Buffer.from(text)]);
};
const QUESTION = Buffer.from('question');
const LONG_MS = 20_000;

test('the limits of a KDC are those of docs/limits.md', () => {
  const { kdcTime, kdcAnswerBytes } = PEER_LIMITS;
  assert.equal(KDC_LIMITS, { timeMs: kdcTime.value, answerBytes: kdcAnswerBytes.value });
});

test('an answer arrives whole or byte by byte', async () => {
  for (const isWhole of [true, false]) {
    const play: Play = (socket, question) => {
      assert.equal(question, framed('question'));
      const bytes = framed('answer');
      if (isWhole) socket.write(bytes);
      else for (const byte of bytes) socket.write(Buffer.from([byte]));
    };
    await withKdc(play, async (kdc) => {
      assert.is(String(await askKdcs('A', [kdc], QUESTION, LONG_MS)), 'answer');
    });
  }
});

for (const [what, play, reason, timeoutMs] of [
  ['hangs up', (socket) => socket.end(), /closed the connection/, LONG_MS],
  ['is cut off', (socket) => socket.end(framed('answer').subarray(0, 6)), /closed/, LONG_MS],
  [
    'announces too much',
    (socket) => socket.write(Buffer.from('7fffffff', 'hex')),
    /announced 2147483647 bytes \(expected at most 262144\)/,
    LONG_MS,
  ],
  ['says nothing', () => undefined, /did not answer within 50 ms/, 50],
] as const satisfies readonly (readonly [string, Play, RegExp, number])[]) {
  test(`a KDC that ${what} is named, and the next one is asked`, () =>
    withKdc(play, async (bad) => {
      await askKdcs('A.TEST', [bad], QUESTION, timeoutMs).then(
        () => assert.unreachable('an answer'),
        (error: unknown) => {
          assert.instance(error, KerberosError);
          assert.match(String(error), `no KDC of A.TEST answered: 127.0.0.1:${bad.port} `);
          assert.match(String(error), reason);
        },
      );
      await withKdc(
        (socket) => socket.write(framed('answer')),
        async (good) => {
          const down = { host: '127.0.0.1', port: await freePort() };
          const answer = await askKdcs('A', [down, bad, good], QUESTION, Math.max(timeoutMs, 1000));
          assert.is(String(answer), 'answer');
        },
      );
    }));
}

test.run();
