import { type Environment, variableOf, wordsOfEnvironment } from '../machine/environment.js';
import { ZKSH } from './zksh-declaration.js';

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
export function zkshWordsOfEnvironment(typed: Typed, env: Environment): readonly string[] {
  const variable = env[variableOf('zksh', 'profile')] ?? '';
  const hasProfile = typed.options.has('profile') || variable !== '';
  const isTaken = (name: string): boolean =>
    typed.options.has(name) ||
    WITHOUT_VARIABLE.has(name) ||
    (hasProfile && OF_PROFILE.includes(name)) ||
    (AUTH.includes(name) && AUTH.some((other) => typed.options.has(other))) ||
    (TLS.includes(name) && !typed.isSecure);
  return wordsOfEnvironment('zksh', ZKSH, isTaken, env);
}
