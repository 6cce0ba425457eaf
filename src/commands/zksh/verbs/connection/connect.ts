import { checkTarget } from '../../../connecting/target.js';
import { usageError } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const connect = defineCommand({
  name: 'connect',
  group: 'session',
  summary: 'open a new session, here or on other servers',
  description:
    'The session before is closed, and its ephemerals with it, once the new one stands. When no server is reached, it stays. With --servers the session stays, and moves to another server only if its own is not in the list, or, by chance, so that new servers get their share of the clients.',
  options: {
    servers: {
      kind: 'target',
      valueName: 'LIST',
      summary: 'keep the session, and give it these servers instead of those that it has',
    },
  },
  args: {
    target: {
      kind: 'target',
      isOptional: true,
      summary:
        'servers: [zks://]host[:port][,...][/chroot], or srv://NAME[/chroot]; default: those of this session',
    },
  },
  isLocal: true,
  examples: [
    { line: 'connect zk1:2181,zk2:2181/app', summary: 'with a chroot' },
    { line: 'connect --servers zk1,zk2,zk3,zk4,zk5', summary: 'after the ensemble has grown' },
  ],
  check({ args, options, tokens }) {
    if (options.servers !== undefined) checkTarget(options.servers);
    if (options.servers !== undefined && args.target !== undefined) {
      throw usageError('connect takes a target or --servers, not both', tokens.servers);
    }
    if (args.target !== undefined) checkTarget(args.target);
  },
  async run({ session }, { args, options: { servers } }): Promise<Result> {
    if (servers !== undefined) {
      const { server } = await session.updateServers(servers);
      const where = server === undefined ? 'moving to another one' : `staying on ${server}`;
      return {
        kind: 'message',
        text: `The session has the servers ${servers} now, ${where}`,
        fields: { servers, server: server ?? null },
      };
    }
    const client = await session.connect(args.target);
    return {
      kind: 'connection',
      server: client.server ?? session.target,
      sessionId: client.sessionId,
      sessionTimeoutMs: client.sessionTimeoutMs,
      isReadOnly: client.state === 'connected-readonly',
    };
  },
});
