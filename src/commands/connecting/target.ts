// The text that names servers: [zks://]host[:port][,host[:port]...][/chroot], or srv://NAME.
import { parseConnectString } from '../../client/connect-string.js';
import { CommandError, ExitCode } from '../program/command-error.js';
import { checkSrvTarget, isSrvTarget, resolveSrv } from './srv-target.js';

/** Are its servers reached over TLS? */
export function isSecureTarget(target: string): boolean {
  return /^(zks|srvs):\/\//.test(target);
}

/** @throws CommandError USAGE that says what is wrong with it */
export function checkTarget(target: string): void {
  try {
    if (isSrvTarget(target)) checkSrvTarget(target);
    else parseConnectString(target);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badTarget(target, reason, error);
  }
}

export function badTarget(target: string, reason: string, cause: unknown): CommandError {
  return new CommandError(`bad server list "${target}": ${reason}`, {
    code: 'USAGE',
    exitCode: ExitCode.usage,
    hint: 'it is [zks://]host[:port][,host[:port]...][/chroot], or srv://_zookeeper._tcp.DOMAIN[/chroot]',
    cause,
  });
}

/** Of a name the servers that it stands for now. @throws ConnectError when it stands for none */
export async function namedServers(target: string): Promise<string> {
  return isSrvTarget(target) ? resolveSrv(target) : target;
}
