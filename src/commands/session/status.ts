import { defineCommand } from '../command.js';
import type { Result } from '../result.js';
import { askServer } from './ask-server.js';

export const status = defineCommand({
  name: 'status',
  group: 'session',
  summary: 'tell of this session, and of the server it is on',
  description:
    'Mode, version and zxid are what the server says to srvr, and missing where it does not.',
  options: {},
  args: {},
  examples: [{ line: 'status', summary: 'which server, and is it the leader' }],
  async run(context): Promise<Result> {
    const { client, session } = context;
    const told = await askServer(session);
    const fields = {
      server: client.server ?? null,
      state: client.state,
      mode: told?.mode ?? null,
      version: told?.release ?? null,
      zxid: told?.zxid === undefined ? null : `0x${told.zxid.toString(16)}`,
      sessionId: `0x${client.sessionId.toString(16)}`,
      sessionTimeoutMs: client.sessionTimeoutMs,
      servers: session.target,
      chroot: session.chroot,
      path: session.cwd,
      client: session.clientKind,
    };
    const lines = Object.entries(fields)
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value]) => `${name} = ${value}`);
    return { kind: 'message', text: lines.join('\n'), fields };
  },
});
