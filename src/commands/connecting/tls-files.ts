import { readFileSync } from 'node:fs';
import type { TlsOptions } from '../../client/base/tls.js';

export interface TlsFiles {
  readonly cacert?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly servername?: string | undefined;
  readonly insecure?: boolean | undefined;
}

/** An unusable TLS option; the message names it. */
export class TlsFileError extends Error {
  override readonly name = 'TlsFileError';
  readonly code = 'ETLSFILE';
}

/** The first TLS option of the command line, such as "--cacert". */
export function givenTlsOption(files: TlsFiles): string | undefined {
  for (const name of ['cacert', 'cert', 'key', 'servername', 'insecure'] as const) {
    if (files[name] !== undefined && files[name] !== false) return `--${name}`;
  }
  return undefined;
}

/**
 * Reads the files and checks that certificate and key match.
 * @param passphrase of the key; from the environment, since all users can see a command line
 * @throws TlsFileError
 */
export async function readTlsFiles(
  files: TlsFiles,
  passphrase: string | undefined,
): Promise<TlsOptions> {
  const { cacert, cert, key, servername, insecure } = files;
  const options: TlsOptions = {
    ...(cacert === undefined ? {} : { ca: readPem('--cacert', cacert) }),
    ...(cert === undefined ? {} : { cert: readPem('--cert', cert) }),
    ...(key === undefined ? {} : { key: readPem('--key', key) }),
    ...(passphrase === undefined || passphrase === '' ? {} : { passphrase }),
    ...(servername === undefined ? {} : { servername }),
    ...(insecure === true ? { isVerified: false } : {}),
  };
  const { secureContextOf, TlsOptionError } = await import('../../client/base/tls.js');
  try {
    secureContextOf(options);
  } catch (cause) {
    if (!(cause instanceof TlsOptionError)) throw cause;
    const { option, problem } = cause;
    const flag = option === 'cert' || option === 'key' ? option : 'cacert';
    throw new TlsFileError(`--${flag} ${files[flag] ?? cert}: ${problem}`, { cause });
  }
  return options;
}

function readPem(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TlsFileError(`${option} ${file}: cannot read: ${why}`, { cause });
  }
}
