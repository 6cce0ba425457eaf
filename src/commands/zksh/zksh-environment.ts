// Options from the environment: ZKSH_TIMEOUT is the default of --timeout.
import { usageError } from '../program/command-error.js';
import type { OptionSpec } from './engine/command.js';

type Env = Readonly<Record<string, string | undefined>>;

/** These say what to run. ZKSH_AUTH holds a password, which must not become a word of a line. */
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
/** What a profile says, too: the variables of another cluster must not mix with it. */
const OF_PROFILE = [...AUTH, ...TLS, 'sasl-file', 'client', 'timeout', 'properties'];

interface Typed {
  /** The options of the command line, by name. */
  readonly options: ReadonlySet<string>;
  readonly isSecure: boolean;
}

/**
 * The options of the environment as words of a command line, without those that the command line or
 * a profile replaces.
 * @throws CommandError USAGE for a flag that is neither on nor off
 */
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

/** An empty variable counts as none. */
function variable(env: Env, option: string): string | undefined {
  return env[nameOfVariable(option)] || undefined;
}

function isOn(option: string, value: string): boolean {
  const text = value.toLowerCase();
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false') return false;
  const name = nameOfVariable(option);
  throw usageError(`${name}: invalid value: "${value}" (expected 1, 0, true, or false)`, undefined);
}
