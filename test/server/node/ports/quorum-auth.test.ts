import { connect, createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  acceptPasswords,
  logInWithPassword,
} from '../../../../src/server/node/boot/quorum-logins.js';
import {
  QuorumAuth,
  type QuorumAuthOptions,
} from '../../../../src/server/node/ports/quorum-auth.js';
import { AuthStatus, encodeAuthPacket } from '../../../../src/server/quorum/wire/auth-packet.js';
import { waitFor } from '../../../support/wait-for.js';

// SASL between servers over sockets: the connecting server proves, and the other one checks.

const USERS = new Map([['zk', 'secret']]);
const RIGHT: QuorumAuthOptions = {
  accept: acceptPasswords(USERS),
  login: logInWithPassword({ user: 'zk', password: 'secret' }),
  isRequired: true,
};
const TIMEOUT_MS = 10_000;

interface World {
  /** The sockets of the connecting server and of the other one. */
  readonly caller: Socket;
  readonly callee: Socket;
  /** The bytes after the exchange, at either side. */
  readonly heard: { caller: string; callee: string };
  /** The outcome at either side: "ok" or the reason. */
  readonly ended: { prove?: string; check?: string };
  begin(): void;
}

async function within(
  parts: { prove: QuorumAuthOptions; check: QuorumAuthOptions; first?: Buffer },
  body: (world: World) => Promise<void>,
): Promise<void> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const caller = connect({ port, host: '127.0.0.1' });
  caller.on('error', () => undefined);
  try {
    const callee = await waitFor('the connection', () => sockets[0]);
    callee.on('error', () => undefined);
    const heard = { caller: '', callee: '' };
    const ended: World['ended'] = {};
    const listen = (side: 'caller' | 'callee', socket: Socket): void => {
      socket.on('data', (bytes) => {
        heard[side] += bytes.toString();
      });
      socket.resume();
    };
    const outcome = async (work: Promise<void>): Promise<string> =>
      work.then(
        () => 'ok',
        (error: Error) => error.message.replace(/127\.0\.0\.1(:\d+)?/, 'X'),
      );
    await body({
      caller,
      callee,
      heard,
      ended,
      begin: () => {
        outcome(new QuorumAuth(parts.prove).prove(caller, TIMEOUT_MS, 'localhost')).then((said) => {
          ended.prove = said;
          if (said === 'ok') listen('caller', caller);
        }, assert.unreachable);
        const first = parts.first ?? Buffer.alloc(0);
        outcome(new QuorumAuth(parts.check).check(callee, first)).then((said) => {
          ended.check = said;
          if (said === 'ok') listen('callee', callee);
        }, assert.unreachable);
      },
    });
  } finally {
    caller.destroy();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

const isOver = ({ ended }: World) => ended.prove !== undefined && ended.check !== undefined;

test('both sides prove the right password, and later bytes pass through', () =>
  within({ prove: RIGHT, check: RIGHT }, async (world) => {
    world.begin();
    await waitFor('the end', () => isOver(world));
    assert.equal(world.ended, { prove: 'ok', check: 'ok' });
    world.caller.write('hello');
    world.callee.write('welcome');
    await waitFor('both', () => world.heard.callee === 'hello' && world.heard.caller === 'welcome');
  }));

test('a wrong password is refused, with a reason for each side', () =>
  within(
    {
      prove: { ...RIGHT, login: logInWithPassword({ user: 'zk', password: 'guess' }) },
      check: RIGHT,
    },
    async (world) => {
      world.begin();
      await waitFor('the end', () => isOver(world));
      assert.equal(world.ended, {
        prove: 'authentication with X failed: it refuses the user "zk"',
        check: 'authentication of X as a server failed: wrong password',
      });
      await waitFor('the sockets to close', () => world.caller.destroyed && world.callee.destroyed);
    },
  ));

test('a connection without SASL is accepted if SASL is optional, with all of its bytes', () =>
  within(
    { prove: { ...RIGHT, login: null }, check: { ...RIGHT, isRequired: false } },
    async (world) => {
      world.begin();
      world.caller.write('no magic');
      await waitFor('the end', () => isOver(world));
      assert.equal(world.ended, { prove: 'ok', check: 'ok' });
      world.caller.write(', and more');
      await waitFor('all of it', () => world.heard.callee === 'no magic, and more');
    },
  ));

test('buffered bytes belong to the exchange or to later data', () =>
  within(
    {
      prove: { ...RIGHT, login: null },
      check: { ...RIGHT, isRequired: false },
      first: Buffer.from('no m'),
    },
    async (world) => {
      world.begin();
      world.caller.write('agic');
      await waitFor('all of it', () => world.heard.callee === 'no magic');
    },
  ));

test('a connection without SASL is refused if SASL is required', () =>
  within({ prove: { ...RIGHT, login: null }, check: RIGHT }, async (world) => {
    world.begin();
    world.caller.write('no magic');
    await waitFor('the end', () => isOver(world));
    assert.match(world.ended.check ?? '', /it did not try, and quorum\.auth\.serverRequireSasl/);
    await waitFor('the socket to close', () => world.callee.destroyed);
  }));

test('a disconnect before the exchange may be accepted, and one within it is not', () =>
  within(
    { prove: { ...RIGHT, login: null }, check: { ...RIGHT, isRequired: false } },
    async (world) => {
      world.begin();
      world.caller.end();
      await waitFor('the end', () => isOver(world));
      assert.is(world.ended.check, 'ok');
    },
  ).then(() =>
    within(
      { prove: { ...RIGHT, login: null }, check: { ...RIGHT, isRequired: false } },
      async (world) => {
        world.begin();
        const packet = { status: AuthStatus.IN_PROGRESS, token: Buffer.alloc(0) };
        world.caller.end(encodeAuthPacket(packet));
        await waitFor('the end', () => isOver(world));
        assert.is(world.ended.check, 'authentication of X as a server failed: it hung up');
      },
    ),
  ));

test.run();
