import { checkTarget, isSecureTarget } from '../connecting/target.js';
import { givenTlsOption, type TlsFiles } from '../connecting/tls-files.js';
import { usageError } from '../program/command-error.js';
import type { CommandDeclaration, Parsed } from './engine/command.js';
import { parseArguments } from './engine/parse-arguments.js';
import type { Token } from './language/parse-line.js';
import { OUTPUT_FORMATS, type OutputFormat } from './results/render.js';
import type { ClientKind, Credentials } from './session/shell-session.js';

const OPTIONS = {
  command: {
    letter: 'c',
    kind: 'text',
    valueName: 'CMDS',
    isRepeatable: true,
    summary: 'run these commands, separated by ; or line ends, and leave',
  },
  file: { letter: 'f', kind: 'file', valueName: 'FILE', summary: 'run a script; - is stdin' },
  embedded: { summary: 'start the bundled server, in memory, and connect to it' },
  'data-dir': {
    kind: 'file',
    valueName: 'DIR',
    summary: 'where the embedded server keeps its data',
  },
  client: {
    kind: 'text',
    choices: ['builtin', 'native'],
    summary: "which client: builtin (default), or native, Apache's C client",
  },
  timeout: {
    kind: 'integer',
    valueName: 'MS',
    min: 1,
    max: 0x7fff_ffff,
    summary: 'for connecting, for each request and word, and asked of the server for the session',
  },
  readonly: { summary: 'refuse every change, and be content with a read-only server' },
  'dry-run': {
    letter: 'n',
    summary: 'only tell what each command would change, and send nothing of it',
  },
  auth: {
    kind: 'secret',
    valueName: 'USER[:PASSWORD]',
    summary:
      'authenticate by digest; the password is asked for, or better given in the environment as ZKSH_AUTH',
  },
  'auth-file': {
    kind: 'file',
    valueName: 'FILE',
    summary: 'the same, from the first line of a file that only its owner may read',
  },
  'ask-auth': {
    kind: 'text',
    valueName: 'USER',
    summary: 'authenticate by digest as USER, and ask for the password at the terminal',
  },
  profile: {
    letter: 'P',
    kind: 'text',
    valueName: 'NAME',
    summary: 'servers and options by a name from the configuration file',
  },
  'allow-changes': { summary: 'change what a protected profile protects, without being asked' },
  properties: {
    kind: 'file',
    valueName: 'FILE',
    summary: "a client configuration of Apache's shell, with TLS by PEM files",
  },
  cacert: {
    kind: 'file',
    valueName: 'FILE',
    summary: 'authorities to trust over TLS, PEM; default: those that Node.js trusts',
  },
  cert: { kind: 'file', valueName: 'FILE', summary: 'own certificate for TLS, PEM' },
  key: {
    kind: 'file',
    valueName: 'FILE',
    summary: 'its private key, PEM, unless FILE of --cert has it',
  },
  servername: {
    kind: 'text',
    valueName: 'NAME',
    summary: "the name that the servers' certificates must have, instead of that of the host",
  },
  insecure: { summary: 'take any certificate over TLS, so that anybody can pass for the server' },
  output: {
    letter: 'o',
    kind: 'text',
    valueName: 'FORMAT',
    choices: OUTPUT_FORMATS,
    summary: 'how results look: text (default), table, json, ndjson or raw',
  },
  trace: { summary: 'show each request and each answer on standard error, without data' },
  'keep-going': {
    letter: 'k',
    summary:
      'go on after an error, unless no server can be reached; the first one gives the exit code',
  },
  zkcli: {
    summary:
      "as the first argument: act as Apache's shell; the other arguments are those of zkCli.sh",
  },
  help: { letter: 'h', summary: 'show this' },
  version: { letter: 'V', summary: 'show the version' },
} as const;

const ARGS = {
  connect: {
    kind: 'target',
    isOptional: true,
    summary:
      'host[:port][,host[:port]...][/chroot], default 127.0.0.1:2181; zks:// before it is TLS, and port 2281; or srv://_zookeeper._tcp.DOMAIN[/chroot], srvs:// for TLS: the servers of the SRV records of that name',
  },
} as const;

/** The command line of zksh itself, declared as its commands are. */
export const ZKSH = {
  name: 'zksh',
  group: 'shell',
  summary: 'a shell for Apache ZooKeeper',
  description:
    'Without -c and -f, commands are read from standard input; on a terminal that is the interactive shell. Results go to stdout, everything else to stderr.',
  options: OPTIONS,
  args: ARGS,
  surplusHint: "commands are given with -c: zksh HOST:PORT -c 'ls /'",
  examples: [
    { line: "zksh zk1:2181 -c 'create /a hello; get /a'", summary: 'two commands' },
    { line: 'zksh zk1,zk2,zk3/app < script', summary: 'a script, below a chroot' },
    { line: 'zksh --cacert ca.pem zks://zk1', summary: 'over TLS' },
    { line: 'zksh --embedded', summary: 'try it without a server' },
  ],
} as const satisfies CommandDeclaration;

export const DEFAULT_TARGET = '127.0.0.1:2181';

/** What the command line asks for. */
export interface ZkshOptions {
  readonly task: 'help' | 'version' | 'run';
  readonly target: string;
  readonly commands: readonly string[];
  /** "-" is standard input. */
  readonly file: string | undefined;
  readonly isEmbedded: boolean;
  readonly dataDir: string | undefined;
  readonly clientKind: ClientKind;
  readonly timeoutMs: number | undefined;
  readonly isReadOnly: boolean;
  readonly isDryRun: boolean;
  readonly auth: readonly Credentials[];
  /** Files that sessionOptions reads. */
  readonly authFile: string | undefined;
  readonly properties: string | undefined;
  /** The user whose password is asked for. */
  readonly askAuth: string | undefined;
  readonly profile: string | undefined;
  /** May a protected profile be changed? */
  readonly isAllowed: boolean;
  readonly isProtected: boolean;
  readonly isTargetGiven: boolean;
  /** Undefined where no option speaks of TLS. */
  readonly tlsFiles: TlsFiles | undefined;
  readonly keyPassphrase: string | undefined;
  readonly format: OutputFormat;
  readonly isFormatChosen: boolean;
  readonly isKeepGoing: boolean;
  readonly isTracing: boolean;
}

/**
 * Reads the arguments of `zksh`.
 * @throws CommandError USAGE
 */
export function parseZkshOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ZkshOptions {
  const parsed = parseArguments(ZKSH, argv.map(toToken), { start: 0, end: 0 }, AS_TYPED);
  const { options, args, tokens } = parsed as unknown as ZkshWords;
  checkTogether(options, args, tokens);
  if (args.connect !== undefined) checkTarget(args.connect);
  const { cacert, cert, key, servername, insecure } = options;
  const tlsFiles = { cacert, cert, key, servername, insecure };
  const tlsOption = givenTlsOption(tlsFiles);
  checkTls(options, args.connect ?? '', tlsOption);
  // A user alone: the password is asked for.
  const user = options.auth?.includes(':') === false ? options.auth : undefined;
  const auth = user === undefined ? (options.auth ?? env['ZKSH_AUTH']) : undefined;
  return {
    task: options.help ? 'help' : options.version ? 'version' : 'run',
    target: args.connect ?? DEFAULT_TARGET,
    commands: options.command,
    file: options.file,
    isEmbedded: options.embedded,
    dataDir: options['data-dir'],
    clientKind: options.client === 'native' ? 'native' : 'builtin',
    timeoutMs: options.timeout,
    isReadOnly: options.readonly,
    isDryRun: options['dry-run'],
    auth: auth === undefined || auth === '' ? [] : [{ scheme: 'digest', auth }],
    authFile: options['auth-file'],
    properties: options.properties,
    askAuth: options['ask-auth'] ?? user,
    profile: options.profile,
    isAllowed: options['allow-changes'],
    isProtected: false,
    isTargetGiven: args.connect !== undefined,
    tlsFiles: tlsOption === undefined ? undefined : tlsFiles,
    keyPassphrase: env['ZKSH_KEY_PASSPHRASE'],
    format: OUTPUT_FORMATS.find((format) => format === options.output) ?? 'text',
    isFormatChosen: options.output !== undefined,
    isKeepGoing: options['keep-going'],
    isTracing: options.trace,
  };
}

type ZkshWords = Parsed<typeof OPTIONS, typeof ARGS>;

/** TLS is for servers that are named so; a profile may name them elsewhere. */
function checkTls({ profile }: ZkshWords['options'], target: string, tlsOption?: string): void {
  if (tlsOption === undefined || profile !== undefined || isSecureTarget(target)) return;
  throw usageError(`${tlsOption} is for TLS: zksh ${tlsOption} ... zks://HOST:PORT`, undefined);
}

/** Refuses options that contradict each other. */
function checkTogether(
  options: ZkshWords['options'],
  args: ZkshWords['args'],
  tokens: ZkshWords['tokens'],
): void {
  if (options.command.length > 0 && options.file !== undefined) {
    throw usageError('either -c or -f', tokens.file);
  }
  if (options.embedded && args.connect !== undefined) {
    throw usageError('--embedded starts its own server and takes no CONNECT', tokens.connect);
  }
  const authOptions = (['auth', 'auth-file', 'ask-auth'] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (authOptions.length > 1) {
    throw usageError(`either --${authOptions.join(' or --')}`, undefined);
  }
  if (options['data-dir'] !== undefined && !options.embedded) {
    throw usageError('--data-dir goes with --embedded', tokens['data-dir']);
  }
  if (options.trace && options.client === 'native') {
    throw usageError('--trace is for the builtin client', tokens.trace);
  }
  if (options.zkcli) throw usageError('--zkcli is the first word, or none', tokens.zkcli);
}

const AS_TYPED = { resolve: (text: string) => text };

/** The shell has taken the quotes off already. */
function toToken(text: string): Token {
  return { text, bytes: Buffer.from(text), isText: true, isQuoted: false, start: 0, end: 0 };
}
