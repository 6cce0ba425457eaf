import type { ServerAddress } from '../../client/base/connect-string.js';
import type { TlsOptions } from '../../client/base/tls.js';
import {
  givenTlsOption,
  readTlsFiles,
  TlsFileError,
  type TlsFiles,
} from '../connecting/tls-files.js';
import { usageError } from '../program/command-error.js';

/** @throws CommandError for an unusable file, or TLS options without a TLS member */
export async function tlsOf(
  files: TlsFiles,
  members: readonly ServerAddress[],
  passphrase: string | undefined,
): Promise<TlsOptions | undefined> {
  const option = givenTlsOption(files);
  if (option === undefined) return undefined;
  if (!members.some(({ isSecure }) => isSecure)) {
    throw usageError(`${option}: requires TLS, but no member has the form zks://host[:port]`);
  }
  try {
    return await readTlsFiles(files, passphrase);
  } catch (error) {
    if (!(error instanceof TlsFileError)) throw error;
    throw usageError(error.message, undefined, { cause: error });
  }
}
