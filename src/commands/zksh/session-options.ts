import type { ClientOptions } from '../../client/base/client-options.js';
import type { TlsOptions } from '../../client/base/tls.js';
import { checkTarget, isSecureTarget } from '../connecting/target.js';
import { givenTlsOption, readTlsFiles, TlsFileError } from '../connecting/tls-files.js';
import { usageError } from '../program/command-error.js';
import type { Credentials, SessionOptions } from './session/shell-session.js';
import type { ZkshOptions } from './zksh-options.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The command line overrides the profile. @param target replaces the servers of the options */
export async function sessionOptions(
  given: ZkshOptions,
  target: string | undefined,
  env: Env,
): Promise<SessionOptions> {
  const options = given.profile === undefined ? given : await withProfile(given, env);
  const servers = target ?? options.target;
  checkTarget(servers);
  const tls = await tlsOf(options, servers);
  const client = await clientOptions(options);
  const { timeoutMs, clientKind, isReadOnly, isDryRun, isProtected, profile } = options;
  return {
    target: servers,
    clientKind,
    isReadOnly,
    isDryRun,
    isProtected,
    auth: await authOf(options),
    ...(profile === undefined ? {} : { profile }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(tls === undefined ? {} : { tls }),
    ...(client === undefined ? {} : { client }),
  };
}

async function withProfile(options: ZkshOptions, env: Env): Promise<ZkshOptions> {
  const { configFile, readProfile } = await import('../connecting/profiles.js');
  const profile = await readProfile(configFile(env), options.profile ?? '');
  const { cacert, cert, key, servername } = profile;
  const isGiven = options.isTargetGiven || options.isEmbedded;
  const files = { cacert, cert, key, servername, ...defined(options.tlsFiles ?? {}) };
  return {
    ...options,
    target: isGiven ? options.target : (profile.connect ?? options.target),
    clientKind: profile.client === 'native' ? 'native' : options.clientKind,
    timeoutMs: options.timeoutMs ?? profile.timeout,
    isReadOnly: options.isReadOnly || profile.readonly === true,
    isProtected: profile.protected === true && !options.isAllowed,
    authFile: options.authFile ?? profile['auth-file'],
    saslFile: options.saslFile ?? profile['sasl-file'],
    properties: options.properties ?? profile.properties,
    tlsFiles: givenTlsOption(files) === undefined ? undefined : files,
  };
}

function defined<T extends object>(values: T): Partial<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}

async function tlsOf(
  { tlsFiles, keyPassphrase }: ZkshOptions,
  target: string,
): Promise<TlsOptions | undefined> {
  if (tlsFiles === undefined) return undefined;
  const option = givenTlsOption(tlsFiles);
  if (!isSecureTarget(target)) {
    throw usageError(`${option} requires TLS: zksh ${option} ... zks://HOST:PORT`);
  }
  try {
    return await readTlsFiles(tlsFiles, keyPassphrase);
  } catch (error) {
    if (error instanceof TlsFileError) throw usageError(error.message, undefined, { cause: error });
    throw error;
  }
}

async function clientOptions({
  properties,
  saslFile,
}: ZkshOptions): Promise<Partial<ClientOptions> | undefined> {
  const fromFile = properties === undefined ? {} : await propertiesOf(properties);
  if (saslFile === undefined) return properties === undefined ? undefined : fromFile;
  const { readSaslFile } = await import('../connecting/auth-sources.js');
  return { ...fromFile, sasl: await readSaslFile(saslFile) };
}

async function propertiesOf(properties: string): Promise<Partial<ClientOptions>> {
  const { readClientProperties } = await import('../connecting/client-properties.js');
  try {
    return await readClientProperties(properties);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usageError(why, undefined, { cause: error });
  }
}

/** The order is: --auth-file, then a prompt, then --auth or ZKSH_AUTH. */
async function authOf({
  auth,
  authFile,
  askAuth: user,
}: ZkshOptions): Promise<readonly Credentials[]> {
  if (authFile === undefined && user === undefined) return auth;
  const sources = await import('../connecting/auth-sources.js');
  if (authFile !== undefined) return digest(await sources.readAuthFile(authFile));
  return digest(await sources.askAuth(user ?? ''));
}

function digest(auth: string): readonly Credentials[] {
  return [{ scheme: 'digest', auth }];
}
