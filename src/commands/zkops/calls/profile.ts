import type { Profile } from '../../connecting/profiles.js';
import type { TlsFiles } from '../../connecting/tls-files.js';
import { MEMBER_SOURCES, type MemberSource } from '../../ensemble/members.js';
import { CommandError, usageError } from '../../program/command-error.js';

export interface ProfileOptions {
  readonly profile?: string;
  /** user:password, for sessions. */
  readonly auth?: string;
  /** A file with it. */
  readonly 'auth-file'?: string;
  readonly 'sasl-file'?: string;
  /** What the profile says about changes. */
  readonly guard?: 'read-only' | 'protected';
  /** Allows changes with a protected profile. */
  readonly 'allow-changes'?: boolean;
}

/** Call it before each change of an ensemble. @throws CommandError for a profile that forbids it */
export function refuseGuarded(verb: string, options: ProfileOptions): void {
  const refusal = refusalOf(verb, options);
  if (refusal !== undefined) throw refusal;
}

export function refusalOf(
  verb: string,
  { profile = '', guard, 'allow-changes': isAllowed }: ProfileOptions,
): CommandError | undefined {
  if (guard === undefined || (guard === 'protected' && isAllowed === true)) return undefined;
  const instead =
    guard === 'protected'
      ? 'Add --allow-changes to change this ensemble'
      : 'Use --servers instead of --profile to change this ensemble';
  return usageError(`${verb}: not allowed: ${profile} is ${guard}\n${instead}`);
}

/** The command line overrides the profile. @throws CommandError for an unusable profile */
export async function withProfile<O extends MemberSource & TlsFiles & ProfileOptions>(
  given: O,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<O> {
  const options = await withAuthFile(given);
  if (options.profile === undefined) return options;
  const { configFile, readProfile } = await import('../../connecting/profiles.js');
  try {
    const profile = await readProfile(configFile(env), options.profile);
    const isListed = MEMBER_SOURCES.some((name) => options[name] !== undefined);
    const { connect, cacert, cert, key, servername, 'auth-file': authFile } = profile;
    const auth = options.auth ?? (await readAuth(authFile));
    const saslFile = options['sasl-file'] ?? profile['sasl-file'];
    return {
      ...options,
      ...(isListed || connect === undefined ? {} : { connect }),
      ...(auth === undefined ? {} : { auth }),
      ...(saslFile === undefined ? {} : { 'sasl-file': saslFile }),
      ...guardOf(profile),
      cacert: options.cacert ?? cacert,
      cert: options.cert ?? cert,
      key: options.key ?? key,
      servername: options.servername ?? servername,
    };
  } catch (cause) {
    throw asUsage(cause);
  }
}

async function withAuthFile<O extends ProfileOptions>(options: O): Promise<O> {
  const { 'auth-file': file } = options;
  if (file === undefined) return options;
  if (options.auth !== undefined) throw usageError('cannot combine --auth with --auth-file');
  try {
    return { ...options, auth: await readAuth(file) };
  } catch (cause) {
    throw asUsage(cause);
  }
}

function asUsage(cause: unknown): unknown {
  if (!(cause instanceof CommandError)) return cause;
  const hint = cause.hint === undefined ? '' : `\n${cause.hint}`;
  return usageError(`${cause.message}${hint}`);
}

function guardOf(profile: Profile): Pick<ProfileOptions, 'guard'> {
  if (profile.readonly === true) return { guard: 'read-only' };
  return profile.protected === true ? { guard: 'protected' } : {};
}

async function readAuth(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return (await import('../../connecting/auth-sources.js')).readAuthFile(file);
}
