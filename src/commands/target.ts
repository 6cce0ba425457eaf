// The text that names servers: [zks://]host[:port][,host[:port]...][/chroot].
import { parseConnectString } from '../client/connect-string.js';
import { CommandError, ExitCode } from './command-error.js';

/** Are its servers reached over TLS? */
export function isSecureTarget(target: string): boolean {
  return target.startsWith('zks://');
}

/** @throws CommandError USAGE that says what is wrong with it */
export function checkTarget(target: string): void {
  try {
    parseConnectString(target);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badTarget(target, reason, error);
  }
}

export function badTarget(target: string, reason: string, cause: unknown): CommandError {
  return new CommandError(`bad server list "${target}": ${reason}`, {
    code: 'USAGE',
    exitCode: ExitCode.usage,
    hint: 'it is [zks://]host[:port][,host[:port]...][/chroot]',
    cause,
  });
}
