import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  askClaim,
  CLAIM_PREFIX,
  type ClaimAnswer,
  listenAt,
  UNNAMED_PREFIX,
} from '../../../../src/server/node/storage/claim-socket.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

const NAME = `${CLAIM_PREFIX}one`;
const HIDDEN = `${UNNAMED_PREFIX}one`;

async function within(body: (folder: string) => Promise<void>): Promise<void> {
  const { path, remove } = makeTempDir('claim');
  try {
    await body(path);
  } finally {
    remove();
  }
}

/** Replaces functions of node:net meanwhile. */
async function withNet(parts: Partial<typeof net>, body: () => Promise<void>): Promise<void> {
  const { connect, createServer } = net;
  Object.assign(net, parts);
  syncBuiltinESMExports();
  try {
    await body();
  } finally {
    Object.assign(net, { connect, createServer });
    syncBuiltinESMExports();
  }
}

async function withPlatform(platform: string, body: () => Promise<void>): Promise<void> {
  const own = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  Object.defineProperty(process, 'platform', { ...own, value: platform });
  try {
    await body();
  } finally {
    Object.defineProperty(process, 'platform', own);
  }
}

const place = (folder: string) => ({ folder, fd: -1 });

/** What askClaim makes of a connection on which this happens. */
async function askedOf(happen: (socket: FakeSocket) => void): Promise<ClaimAnswer> {
  const socket = new FakeSocket();
  let answer: ClaimAnswer | undefined;
  await withNet({ connect: (() => socket) as never }, async () => {
    const asked = askClaim(place('/none'), NAME);
    happen(socket);
    answer = await asked;
  });
  return answer as ClaimAnswer;
}

class FakeSocket extends EventEmitter {
  isDestroyed = false;
  onTimeout = (): void => undefined;
  sent = '';

  end(text: string): void {
    this.sent = text;
  }

  readonly setTimeout = (ms: number, onTimeout: () => void): void => {
    assert.is(ms, 2000);
    this.onTimeout = onTimeout;
  };

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
}

test('a claim answers what its process says now, until it closes', async () => {
  await within(async (folder) => {
    let role = 'starter';
    const listening = await listenAt(place(folder), NAME, () => `${role} 17 host1`);
    assert.equal(readdirSync(folder), [NAME]);
    assert.equal(await askClaim(place(folder), NAME), { kind: 'starter' });
    role = 'holder';
    assert.equal(await askClaim(place(folder), NAME), { kind: 'holder', pid: '17', host: 'host1' });
    listening?.close();
    assert.ok(existsSync(join(folder, NAME)), 'as after a crash');
    assert.equal(await askClaim(place(folder), NAME), { kind: 'gone' });
    unlinkSync(join(folder, NAME));
    assert.equal(await askClaim(place(folder), NAME), { kind: 'gone' });
  });
});

for (const [code, kind] of [
  ['ECONNREFUSED', 'gone'],
  ['ENOENT', 'gone'],
  ['ECONNRESET', 'starter'],
  ['EPIPE', 'starter'],
  ['EACCES', 'holder'],
  ['ENOTDIR', 'holder'],
] as const) {
  test(`a claim whose connection fails with ${code} is of a ${kind}`, async () => {
    const answer = await askedOf((socket) => {
      socket.emit('error', Object.assign(new Error(code), { code }));
      socket.emit('close');
    });
    assert.equal(answer, { kind });
  });
}

test('a claim that does not answer in time is of a holder', async () => {
  let fake: FakeSocket | undefined;
  const answer = await askedOf((socket) => {
    fake = socket;
    socket.emit('data', Buffer.from('star'));
    socket.onTimeout();
  });
  assert.equal(answer, { kind: 'holder' });
  assert.ok(fake?.isDestroyed);
});

test('an answer may come in parts', async () => {
  const answer = await askedOf((socket) => {
    for (const part of ['hold', 'er 1', '7 host1']) socket.emit('data', Buffer.from(part));
    socket.emit('close');
  });
  assert.equal(answer, { kind: 'holder', pid: '17', host: 'host1' });
});

test('an endless answer is cut off', async () => {
  for (const [length, isCut] of [
    [1024, false],
    [1025, true],
  ] as const) {
    let isDestroyed = false;
    await askedOf((socket) => {
      socket.emit('data', Buffer.from('holder '.padEnd(length, 'x')));
      ({ isDestroyed } = socket);
      if (!isDestroyed) socket.emit('close');
    });
    assert.is(isDestroyed, isCut, `${length} bytes`);
  }
});

test('without /proc, a path too long for a socket has none, and its claims count', async () => {
  await within(async (home) => {
    const folder = join(home, 'x'.repeat(100));
    mkdirSync(folder);
    await withPlatform('freebsd', async () => {
      assert.is(await listenAt(place(folder), NAME, () => ''), null);
      assert.equal(await askClaim(place(folder), NAME), { kind: 'holder' });
    });
    assert.equal(readdirSync(folder), []);
  });
});

test('without /proc, a path of 100 bytes is the longest for a socket', async () => {
  await withPlatform('freebsd', async () => {
    for (const [length, kind] of [
      [100, 'gone'],
      [101, 'holder'],
    ] as const) {
      const folder = `/${'x'.repeat(length - 2 - NAME.length)}`;
      assert.equal(await askClaim(place(folder), NAME), { kind });
    }
  });
});

/** The servers that `serversThat` made. */
const made: net.Server[] = [];

/** Servers whose `listen` first does this, each time with the next function. */
function serversThat(...first: ((server: net.Server, path: string) => boolean)[]) {
  const { createServer } = net;
  return ((onConnection: (socket: net.Socket) => void) => {
    const server = createServer(onConnection);
    made.push(server);
    const listen = server.listen.bind(server);
    const replaced = (options: net.ListenOptions, onListening: () => void): net.Server => {
      const happen = first.shift() ?? (() => true);
      if (options.path === undefined || !happen(server, options.path)) return server;
      return listen(options, () => {
        onListening();
      });
    };
    return Object.assign(server, { listen: replaced });
  }) as typeof net.createServer;
}

function failing(code: string, syscall = 'listen') {
  return (server: net.Server): boolean => {
    server.emit('error', Object.assign(new Error(code), { code, syscall }));
    return false;
  };
}

for (const code of ['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS']) {
  test(`a system that answers ${code} has no sockets`, async () => {
    await withNet({ createServer: serversThat(failing(code)) }, async () => {
      assert.is(await listenAt(place('/none'), NAME, () => ''), null);
    });
  });
}

async function errorOf(done: Promise<unknown>): Promise<string> {
  return done.then(
    () => '',
    ({ code }: NodeJS.ErrnoException) => code ?? '',
  );
}

test('other errors of a socket end the start', async () => {
  for (const [code, syscall] of [
    ['EADDRINUSE', 'listen'],
    ['ENOENT', 'listen'],
    ['EADDRINUSE', 'uv_pipe_chmod'],
  ] as const) {
    await withNet({ createServer: serversThat(failing(code, syscall)) }, async () => {
      assert.is(await errorOf(listenAt(place('/none'), NAME, () => '')), code);
    });
  }
});

test('a socket that a holder removed before it got its mode is made again', async () => {
  await within(async (folder) => {
    const createServer = serversThat(failing('ENOENT', 'uv_pipe_chmod'));
    await withNet({ createServer }, async () => {
      const listening = await listenAt(place(folder), NAME, () => 'holder 1 h');
      assert.is((await askClaim(place(folder), NAME)).kind, 'holder');
      listening?.close();
    });
  });
});

test('a socket that a holder removed before it got its name is made again', async () => {
  await within(async (folder) => {
    const remove = (server: net.Server, path: string): boolean => {
      server.once('listening', () => unlinkSync(path));
      return true;
    };
    await withNet({ createServer: serversThat(remove) }, async () => {
      const listening = await listenAt(place(folder), NAME, () => 'holder 1 h');
      assert.equal(readdirSync(folder), [NAME]);
      assert.equal(
        made.slice(-2).map((server) => server.listening),
        [false, true],
      );
      assert.is((await askClaim(place(folder), NAME)).kind, 'holder');
      listening?.close();
    });
  });
});

test('a claim lets every user ask, outlives clients that fail, and keeps no process alive', async () => {
  await within(async (folder) => {
    await withNet({ createServer: serversThat() }, async () => {
      const umask = process.umask(0o077);
      const listening = await listenAt(place(folder), NAME, () => 'holder 1 h');
      process.umask(umask);
      assert.is(statSync(join(folder, NAME)).mode & 0o666, 0o666);
      const server = made.at(-1) as net.Server;
      assert.is(server.maxConnections, 64);
      const { _handle: handle } = server as unknown as { _handle: { hasRef(): boolean } };
      assert.not(handle.hasRef());
      for (let i = 0; i < 2; i++) server.emit('error', new Error('EMFILE'));
      const client = new FakeSocket();
      server.emit('connection', client);
      assert.is(client.sent, 'holder 1 h');
      client.emit('error', new Error('EPIPE'));
      client.onTimeout();
      assert.ok(client.isDestroyed);
      listening?.close();
    });
  });
});

test('a socket that cannot get its name leaves no file', async () => {
  await within(async (folder) => {
    mkdirSync(join(folder, NAME));
    writeFileSync(join(folder, NAME, 'file'), '');
    await withNet({ createServer: serversThat() }, async () => {
      const error = await errorOf(listenAt(place(folder), NAME, () => ''));
      assert.match(error, /EISDIR|ENOTEMPTY/);
    });
    assert.not(existsSync(join(folder, HIDDEN)));
    assert.is(made.at(-1)?.listening, false);
  });
});

test.run();
