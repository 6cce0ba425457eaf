import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { askServer } from './ask-server.js';

export const status = defineCommand({
  name: 'status',
  group: 'session',
  summary: 'tell of this session, and of its server, or of all servers',
  description:
    'Mode, version and zxid are what the server says to srvr, and missing where it does not. With --all every server of the ensemble is asked, those of the connect string and those of the configuration: a row each, marked ! or !! where a figure is beyond the limits of zkops check, the member is behind, or its version is not that of most, and a verdict on the ensemble. Where mntr is not allowed, its figures are missing. A server that does not answer makes the exit code 9.',
  options: { all: { letter: 'a', summary: 'all servers of the ensemble' } },
  args: {},
  examples: [
    { line: 'status', summary: 'which server, and is it the leader' },
    { line: 'status --all', summary: 'all of them, side by side' },
  ],
  async run(context, { options }): Promise<Result> {
    if (options.all) return (await import('./ensemble-status.js')).ensembleStatus(context);
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
