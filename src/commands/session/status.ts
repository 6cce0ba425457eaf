import { parseServerAddress } from '../../client/connect-string.js';
import { parseServer } from '../../fourlw/srvr.js';
import { type CommandContext, defineCommand } from '../command.js';
import type { Result } from '../result.js';
import { isSecureTarget } from '../target.js';

const ASK_TIMEOUT_MS = 2000;

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
    const told = await askServer(context);
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

async function askServer({ client, session }: CommandContext) {
  const { server } = client;
  if (server === undefined) return undefined;
  const { askWord } = await import('../../client/four-letter.js');
  const plain = parseServerAddress(server);
  const address = isSecureTarget(session.target) ? { ...plain, isSecure: true as const } : plain;
  const how = { timeoutMs: ASK_TIMEOUT_MS, ...(session.tls ? { tls: session.tls } : {}) };
  try {
    return parseServer((await askWord(address, 'srvr', how)).toString());
  } catch {
    // It answers this session; that it answers no words is no fault.
    return undefined;
  }
}
