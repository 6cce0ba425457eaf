import { checkTarget, isSecureTarget } from '../connecting/target.js';
import { givenTlsOption, type TlsFiles } from '../connecting/tls-files.js';
import type { Parsed } from '../machine/declaration.js';
import { type Environment, variableOf, wordsOfEnvironment } from '../machine/environment.js';
import { parseArguments } from '../machine/parse-arguments.js';
import { tokensOf } from '../machine/word-role.js';
import { usageError } from '../program/command-error.js';
import { SHELL_FORMATS } from '../program/output-format.js';
import type { OutputFormat } from '../results/render.js';
import { splitCommand } from './argv-command.js';
import type { ClientKind, Credentials } from './session/shell-session.js';
import { ZKSH } from './zksh-declaration.js';

const DEFAULT_TARGET = '127.0.0.1:2181';

export interface ZkshOptions {
  readonly task: 'help' | 'version' | 'run';
  readonly target: string;
  readonly commands: readonly string[];
  /** A command with arguments, from the words of the command line; empty without one. */
  readonly words: readonly string[];
  /** "-" is standard input. */
  readonly file: string | undefined;
  readonly isEmbedded: boolean;
  readonly dataDir: string | undefined;
  readonly clientKind: ClientKind;
  readonly timeoutMs: number | undefined;
  readonly isReadOnly: boolean;
  readonly isDryRun: boolean;
  readonly auth: readonly Credentials[];
  /** Process lists show it. */
  readonly isPasswordTyped: boolean;
  /** sessionOptions reads these files. */
  readonly authFile: string | undefined;
  readonly saslFile: string | undefined;
  readonly properties: string | undefined;
  /** The user to prompt for the password of. */
  readonly askAuth: string | undefined;
  readonly profile: string | undefined;
  /** Allows changes with a protected profile. */
  readonly isAllowed: boolean;
  readonly isProtected: boolean;
  readonly isTargetGiven: boolean;
  readonly tlsFiles: TlsFiles | undefined;
  readonly keyPassphrase: string | undefined;
  readonly format: OutputFormat;
  readonly isKeepGoing: boolean;
  readonly isTracing: boolean;
}

export function parseZkshOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ZkshOptions {
  const { own, command } = splitCommand(argv, ZKSH.options);
  const typed = parseWords(own);
  const variable = typed.options.embedded ? undefined : env['ZKSH_CONNECT'] || undefined;
  const servers = typed.args.connect ?? variable;
  const words = zkshWordsOfEnvironment(typedOptions(typed, servers ?? ''), env);
  const { options, args, tokens } = words.length === 0 ? typed : parseWords([...words, ...own]);
  checkTogether(options, args, tokens, command);
  if (servers !== undefined) checkTarget(servers);
  const { cacert, cert, key, servername, insecure } = options;
  const tlsFiles = { cacert, cert, key, servername, insecure };
  const tlsOption = givenTlsOption(tlsFiles);
  checkTls(options, servers ?? '', tlsOption);
  const { user, auth } = credentialsOf(options.auth, env['ZKSH_AUTH']);
  return {
    task: options.help ? 'help' : options.version ? 'version' : 'run',
    target: servers ?? DEFAULT_TARGET,
    commands: options.command,
    words: command,
    file: options.file,
    isEmbedded: options.embedded,
    dataDir: options['data-dir'],
    clientKind: options.client === 'native' ? 'native' : 'builtin',
    timeoutMs: options.timeout,
    isReadOnly: options.readonly,
    isDryRun: options['dry-run'],
    auth,
    isPasswordTyped: options.auth?.includes(':') === true,
    authFile: options['auth-file'],
    saslFile: options['sasl-file'],
    properties: options.properties,
    askAuth: options['ask-auth'] ?? user,
    profile: options.profile,
    isAllowed: options['allow-changes'],
    isProtected: false,
    isTargetGiven: args.connect !== undefined,
    tlsFiles: tlsOption === undefined ? undefined : tlsFiles,
    keyPassphrase: env['ZKSH_KEY_PASSPHRASE'],
    format: SHELL_FORMATS.find((format) => format === options.output) ?? 'text',
    isKeepGoing: options['keep-going'],
    isTracing: options.trace,
  };
}

/** A user without a password gets a prompt. */
function credentialsOf(
  given: string | undefined,
  variable: string | undefined,
): { readonly user?: string; readonly auth: readonly Credentials[] } {
  if (given?.includes(':') === false) return { user: given, auth: [] };
  const auth = given ?? variable ?? '';
  return { auth: auth === '' ? [] : [{ scheme: 'digest', auth }] };
}

type ZkshWords = Parsed<typeof ZKSH.options, typeof ZKSH.args>;

function parseWords(words: readonly string[]): ZkshWords {
  const parsed = parseArguments(ZKSH, tokensOf(words));
  return parsed as unknown as ZkshWords;
}

function typedOptions({ tokens }: ZkshWords, target: string) {
  return { options: new Set(Object.keys(tokens)), isSecure: isSecureTarget(target) };
}

/** TLS needs a target with zks://, on the command line or in a profile. */
function checkTls({ profile }: ZkshWords['options'], target: string, tlsOption?: string): void {
  if (tlsOption === undefined || profile !== undefined || isSecureTarget(target)) return;
  throw usageError(`${tlsOption} requires TLS: zksh ${tlsOption} ... zks://HOST:PORT`);
}

function checkTogether(
  options: ZkshWords['options'],
  args: ZkshWords['args'],
  tokens: ZkshWords['tokens'],
  command: readonly string[],
): void {
  if (command.length > 0 && (options.command.length > 0 || options.file !== undefined)) {
    throw usageError(
      `cannot combine -c or -f with a command: ${command[0]}`,
      tokens.command ?? tokens.file,
    );
  }
  if (options.command.length > 0 && options.file !== undefined) {
    throw usageError('cannot combine -c with -f', tokens.file);
  }
  if (options.embedded && args.connect !== undefined) {
    throw usageError('--embedded starts its own server and takes no CONNECT', tokens.connect);
  }
  const authOptions = (['auth', 'auth-file', 'ask-auth'] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (authOptions.length > 1) {
    throw usageError(`cannot combine --${authOptions.join(' with --')}`);
  }
  if (options['data-dir'] !== undefined && !options.embedded) {
    throw usageError('--data-dir requires --embedded', tokens['data-dir']);
  }
  if (options.trace && options.client === 'native') {
    throw usageError('--trace requires the builtin client', tokens.trace);
  }
  if (options.zkcli) throw usageError('--zkcli must be the first argument', tokens.zkcli);
}

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
