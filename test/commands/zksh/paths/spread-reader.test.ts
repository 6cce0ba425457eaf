import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeperError } from '../../../../src/client/base/errors.js';
import { askWord } from '../../../../src/client/index.js';
import type { CommandContext } from '../../../../src/commands/zksh/engine/command.js';
import { SpreadReader } from '../../../../src/commands/zksh/paths/spread-reader.js';
import { ShellSession } from '../../../../src/commands/zksh/session/shell-session.js';
import { NO_STAT } from '../../../../src/protocol/data.js';
import { ErrorCode } from '../../../../src/protocol/error-code.js';
import { startBundled } from '../../../support/bundled.js';
import { waitFor } from '../../../support/wait-for.js';

// A long walk reads through additional sessions with the same server.

const MANY = 4096;

interface World {
  readonly context: CommandContext;
  readonly reader: SpreadReader;
  /** The number of sessions of the server. */
  sessions(): Promise<number>;
  /** Requests the root `times` times, a hundred at once. */
  ask(times: number, path?: string): Promise<void>;
}

async function within(work: (world: World) => Promise<void>): Promise<void> {
  const server = await startBundled();
  const session = new ShellSession({ target: server.connectString });
  try {
    const client = await session.connect();
    const context = { session, client } as CommandContext;
    const reader = new SpreadReader(context);
    const ask = async (times: number, path = '/'): Promise<void> => {
      for (let left = times; left > 0; left -= 100) {
        const count = Math.min(left, 100);
        await Promise.all(Array.from({ length: count }, () => reader.getChildren(path)));
      }
    };
    const sessions = async (): Promise<number> => {
      const answer = `${await askWord({ host: '127.0.0.1', port: server.port }, 'mntr')}`;
      return Number(/^zk_global_sessions\t(\d+)$/m.exec(answer)?.[1] ?? -1);
    };
    await work({ context, reader, sessions, ask });
    await reader.close();
    await waitFor('the additional sessions to end', async () => (await sessions()) === 1);
  } finally {
    await session.close();
    await server.close();
  }
}

test('a short walk uses only the session of the shell', () =>
  within(async ({ ask, sessions }) => {
    await ask(MANY - 1);
    assert.is(await sessions(), 1);
  }));

test('a long one opens three more, which end with it', () =>
  within(async ({ ask, sessions }) => {
    await ask(MANY);
    await waitFor('further sessions', async () => (await sessions()) === 4);
    await ask(400);
  }));

test("if an additional session lacks permission, the shell's own session reads", () =>
  within(async ({ ask, context: { client }, sessions }) => {
    await client.addAuth('digest', 'ann:secret');
    const acl = [{ perms: 31, id: { scheme: 'auth', id: '' } }];
    await client.create('/hers', null, { acl });
    await client.create('/hers/a', null, { acl });
    await ask(MANY);
    await waitFor('further sessions', async () => (await sessions()) === 4);
    await ask(400, '/hers');
  }));

/** A context whose additional sessions are all `helper`. */
function contextWith(helper: object, tracer?: { readonly isOn: boolean }) {
  const opened: string[] = [];
  const main = {
    server: '10.0.0.1:2181',
    getChildren: async () => ({ children: ['main'], stat: NO_STAT }),
  };
  const session = {
    client: main,
    target: 'zks://zk1,zk2/app',
    chroot: '/app',
    tracer,
    openSeparate: async (target: string) => {
      opened.push(target);
      return helper;
    },
  };
  return { context: { client: main, session } as unknown as CommandContext, opened };
}

test('an additional session that breaks is not used again, and its request is repeated', async () => {
  let asked = 0;
  let closed = 0;
  const helper = {
    getChildren: async () => {
      asked++;
      throw new ZooKeeperError(ErrorCode.CONNECTIONLOSS);
    },
    close: async () => void closed++,
  };
  const { context, opened } = contextWith(helper);
  const reader = new SpreadReader(context);
  for (let i = 0; i < MANY + 100; i++) {
    assert.equal((await reader.getChildren('/')).children, ['main']);
  }
  assert.equal(opened, Array(3).fill('zks://10.0.0.1:2181/app'));
  assert.is(asked, 1);
  await reader.close();
  assert.is(closed, 1);
});

test('a walk with --rate or a trace uses one session', async () => {
  const { context, opened } = contextWith({});
  const traced = contextWith({}, { isOn: true });
  const counting = { ...context, client: new Proxy(context.client, {}) };
  for (const watched of [counting, traced.context]) {
    const reader = new SpreadReader(watched);
    for (let i = 0; i < MANY; i++) await reader.getChildren('/');
    await reader.close();
  }
  assert.equal([...opened, ...traced.opened], []);
});

test.run();
