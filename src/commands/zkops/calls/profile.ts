import type { TlsFiles } from '../../connecting/tls-files.js';
import { EXIT_USAGE } from '../../ensemble/exit-codes.js';
import { MEMBER_SOURCES, type MemberSource } from '../../ensemble/members.js';
import { UsageError } from '../../ensemble/usage-error.js';
import { CommandError } from '../../program/command-error.js';

export interface ProfileOptions {
  readonly profile?: string;
  /** user:password, for sessions. */
  readonly auth?: string;
  readonly saslFile?: string;
  /** The profile forbids changes, or asks before each. */
  readonly isGuarded?: boolean;
}

/** The command line overrides the profile. @throws UsageError for an unusable profile */
export async function withProfile<O extends MemberSource & TlsFiles & ProfileOptions>(
  options: O,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<O> {
  if (options.profile === undefined) return options;
  const { configFile, readProfile } = await import('../../connecting/profiles.js');
  try {
    const profile = await readProfile(configFile(env), options.profile);
    const isListed = MEMBER_SOURCES.some((name) => options[name] !== undefined);
    const { connect, cacert, cert, key, servername, 'auth-file': authFile } = profile;
    const auth = options.auth ?? (await readAuth(authFile));
    const saslFile = options.saslFile ?? profile['sasl-file'];
    return {
      ...options,
      ...(isListed || connect === undefined ? {} : { connect }),
      ...(auth === undefined ? {} : { auth }),
      ...(saslFile === undefined ? {} : { saslFile }),
      isGuarded: profile.readonly === true || profile.protected === true,
      cacert: options.cacert ?? cacert,
      cert: options.cert ?? cert,
      key: options.key ?? key,
      servername: options.servername ?? servername,
    };
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    const hint = cause.hint === undefined ? '' : `\n${cause.hint}`;
    throw new UsageError(`${cause.message}${hint}`, EXIT_USAGE, { cause });
  }
}

async function readAuth(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return (await import('../../connecting/auth-sources.js')).readAuthFile(file);
}
