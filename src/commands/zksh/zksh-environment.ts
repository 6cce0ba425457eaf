// ZKSH_TIMEOUT is the default of --timeout, and so on.
import { usageError } from '../program/command-error.js';
import type { OptionSpec } from './engine/command.js';

type Env = Readonly<Record<string, string | undefined>>;

/** These select what to run. ZKSH_AUTH has a password, which must not become a word of a line. */
const WITHOUT_VARIABLE: ReadonlySet<string> = new Set([
  'command',
  'file',
  'embedded',
  'data-dir',
  'auth',
  'zkcli',
  'help',
  'version',
]);
const AUTH = ['auth', 'auth-file', 'ask-auth'];
const TLS = ['cacert', 'cert', 'key', 'servername', 'insecure'];
/** A profile replaces these variables: options of two clusters must not mix. */
const OF_PROFILE = [...AUTH, ...TLS, 'sasl-file', 'client', 'timeout', 'properties'];

interface Typed {
  readonly options: ReadonlySet<string>;
  readonly isSecure: boolean;
}

/** Without options that the command line or a profile sets. @throws CommandError USAGE */
export function wordsOfEnvironment(
  specs: Readonly<Record<string, OptionSpec>>,
  typed: Typed,
  env: Env,
): readonly string[] {
  const hasProfile = typed.options.has('profile') || variable(env, 'profile') !== undefined;
  const isTaken = (name: string): boolean =>
    typed.options.has(name) ||
    WITHOUT_VARIABLE.has(name) ||
    (hasProfile && OF_PROFILE.includes(name)) ||
    (AUTH.includes(name) && AUTH.some((other) => typed.options.has(other))) ||
    (TLS.includes(name) && !typed.isSecure);
  return Object.entries(specs).flatMap(([name, { kind }]) => {
    const value = isTaken(name) ? undefined : variable(env, name);
    if (value === undefined) return [];
    if (kind !== undefined) return [`--${name}=${value}`];
    return isOn(name, value) ? [`--${name}`] : [];
  });
}

export function nameOfVariable(option: string): string {
  return `ZKSH_${option.replaceAll('-', '_').toUpperCase()}`;
}

/** Undefined for an empty variable. */
function variable(env: Env, option: string): string | undefined {
  return env[nameOfVariable(option)] || undefined;
}

function isOn(option: string, value: string): boolean {
  const text = value.toLowerCase();
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false') return false;
  const name = nameOfVariable(option);
  throw usageError(`${name}: invalid value: "${value}" (expected 1, 0, true, or false)`);
}
