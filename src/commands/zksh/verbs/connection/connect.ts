import { formatSessionId } from '../../../../protocol/session-id.js';
import { checkTarget } from '../../../connecting/target.js';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const connect = defineCommand({
  name: 'connect',
  group: 'session',
  summary: 'Open a new session, optionally on other servers',
  description:
    'Once the new session is open, the old session is closed and its ephemerals are deleted. If no server can be reached, the old session stays open. --servers keeps the session and changes its server list. The session moves if its server is not in the list, or at random to balance the clients.',
  options: {
    servers: {
      kind: 'target',
      valueName: 'LIST',
      summary: 'keep the session and replace its server list',
    },
  },
  args: {
    target: {
      kind: 'target',
      isOptional: true,
      summary:
        '[zks://]host[:port][,...][/chroot] or srv://NAME[/chroot]; default: the servers of this session',
    },
  },
  isLocal: true,
  examples: [
    { line: 'connect zk1:2181,zk2:2181/app', summary: 'Connect with a chroot' },
    {
      line: 'connect --servers zk1,zk2,zk3,zk4,zk5',
      summary: 'Use new servers after the ensemble has grown',
    },
  ],
  check({ args, options, tokens }) {
    if (options.servers !== undefined) checkTarget(options.servers);
    if (options.servers !== undefined && args.target !== undefined) {
      throw usageError('connect: cannot combine --servers with a target', tokens.servers);
    }
    if (args.target !== undefined) checkTarget(args.target);
  },
  async run({ session }, { args, options: { servers } }): Promise<Result> {
    if (servers !== undefined) {
      const { server } = await session.updateServers(servers);
      const where = server === undefined ? 'moving to another server' : `staying on ${server}`;
      return {
        kind: 'message',
        text: `Server list is now ${servers}; ${where}`,
        fields: { servers, server: server ?? null },
      };
    }
    const client = await session.connect(args.target);
    const { server = session.target, sessionTimeoutMs } = client;
    const sessionId = formatSessionId(client.sessionId);
    const isReadOnly = client.state === 'connected-readonly';
    const place = `${server}${isReadOnly ? ' (read-only server)' : ''}`;
    return {
      kind: 'message',
      text: `Connected to ${place}, session ${sessionId}, timeout ${sessionTimeoutMs} ms`,
      fields: { connected: server, sessionId, sessionTimeoutMs, isReadOnly },
    };
  },
});
