import { defineCommand } from '../command.js';
import type { Result } from '../result.js';
import { checkTarget } from '../target.js';

export const connect = defineCommand({
  name: 'connect',
  group: 'session',
  summary: 'open a new session, here or on other servers',
  description:
    'The session before is closed, and its ephemerals with it, once the new one stands. When no server is reached, it stays.',
  options: {},
  args: {
    target: {
      kind: 'target',
      isOptional: true,
      summary: 'servers: [zks://]host[:port][,...][/chroot]; default: those of this session',
    },
  },
  isLocal: true,
  examples: [{ line: 'connect zk1:2181,zk2:2181/app', summary: 'with a chroot' }],
  check({ args }) {
    if (args.target !== undefined) checkTarget(args.target);
  },
  async run({ session }, { args }): Promise<Result> {
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
