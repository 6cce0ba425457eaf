import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { askServer } from '../../session/ask-server.js';

export const status = defineCommand({
  name: 'status',
  group: 'session',
  summary: 'Show the status of the session or of all servers',
  description:
    'Mode, version, and zxid come from srvr and are omitted if the server does not answer it. --all asks every server of the connect string and of the configuration. It prints one row per server and a verdict on the ensemble. A row is marked ! or !! for exceeded limits of zkops check, for lag, or for a version that differs from most. Servers that do not allow mntr have no figures. If a server does not answer, the exit status is 9.',
  options: { all: { letter: 'a', summary: 'show all servers of the ensemble' } },
  args: {},
  examples: [
    { line: 'status', summary: 'Show the server of this session and its role' },
    { line: 'status --all', summary: 'Compare all servers of the ensemble' },
  ],
  async run(context, { options }): Promise<Result> {
    if (options.all) return (await import('./ensemble-status.js')).ensembleStatus(context);
    const { client, session } = context;
    const answer = await askServer(session);
    const fields = {
      server: client.server ?? null,
      state: client.state,
      mode: answer?.mode ?? null,
      version: answer?.release ?? null,
      zxid: answer?.zxid === undefined ? null : `0x${answer.zxid.toString(16)}`,
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
