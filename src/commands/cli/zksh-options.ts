import type { CommandDeclaration, Parsed } from '../command.js';
import { usageError } from '../command-error.js';
import { parseArguments } from '../parse-arguments.js';
import type { Token } from '../parse-line.js';
import { OUTPUT_FORMATS, type OutputFormat } from '../render/render.js';
import {
  type ClientKind,
  type Credentials,
  checkTarget,
  isSecureTarget,
} from '../shell-session.js';
import { givenTlsOption, type TlsFiles } from '../tls-files.js';

const OPTIONS = {
  command: {
    letter: 'c',
    kind: 'text',
    valueName: 'CMDS',
    isRepeatable: true,
    summary: 'run these commands, separated by ; or line ends, and leave',
  },
  file: { letter: 'f', kind: 'text', valueName: 'FILE', summary: 'run a script; - is stdin' },
  embedded: { summary: 'start the bundled server, in memory, and connect to it' },
  'data-dir': {
    kind: 'text',
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
    summary: 'for connecting, for each request, and asked of the server for the session',
  },
  readonly: { summary: 'refuse every change, and be content with a read-only server' },
  auth: {
    kind: 'secret',
    valueName: 'USER:PASSWORD',
    summary: 'authenticate by digest; better given in the environment as ZKSH_AUTH',
  },
  cacert: {
    kind: 'text',
    valueName: 'FILE',
    summary: 'authorities to trust over TLS, PEM; default: those that Node.js trusts',
  },
  cert: { kind: 'text', valueName: 'FILE', summary: 'own certificate for TLS, PEM' },
  key: {
    kind: 'text',
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
  'keep-going': {
    letter: 'k',
    summary:
      'go on after an error, unless no server can be reached; the first one gives the exit code',
  },
  help: { letter: 'h', summary: 'show this' },
  version: { letter: 'V', summary: 'show the version' },
} as const;

const ARGS = {
  connect: {
    kind: 'target',
    isOptional: true,
    summary:
      'host[:port][,host[:port]...][/chroot], default 127.0.0.1:2181; zks:// before it is TLS, and port 2281',
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
  readonly auth: readonly Credentials[];
  /** Undefined where no option speaks of TLS. */
  readonly tlsFiles: TlsFiles | undefined;
  readonly keyPassphrase: string | undefined;
  readonly format: OutputFormat;
  readonly isFormatChosen: boolean;
  readonly isKeepGoing: boolean;
}

/**
 * Reads the words behind `zksh`.
 * @throws CommandError USAGE
 */
export function parseZkshOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ZkshOptions {
  const parsed = parseArguments(ZKSH, argv.map(toToken), { start: 0, end: 0 }, AS_TYPED);
  const { options, args, tokens } = parsed as unknown as Parsed<typeof OPTIONS, typeof ARGS>;
  if (options.command.length > 0 && options.file !== undefined) {
    throw usageError('either -c or -f', tokens.file);
  }
  if (options.embedded && args.connect !== undefined) {
    throw usageError('--embedded starts its own server, so there is no CONNECT', tokens.connect);
  }
  if (options['data-dir'] !== undefined && !options.embedded) {
    throw usageError('--data-dir goes with --embedded', tokens['data-dir']);
  }
  if (args.connect !== undefined) checkTarget(args.connect);
  const { cacert, cert, key, servername, insecure } = options;
  const tlsFiles = { cacert, cert, key, servername, insecure };
  const tlsOption = givenTlsOption(tlsFiles);
  if (tlsOption !== undefined && !isSecureTarget(args.connect ?? '')) {
    throw usageError(`${tlsOption} is for TLS: zksh ${tlsOption} ... zks://HOST:PORT`, undefined);
  }
  const auth = options.auth ?? env['ZKSH_AUTH'];
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
    auth: auth === undefined || auth === '' ? [] : [{ scheme: 'digest', auth }],
    tlsFiles: tlsOption === undefined ? undefined : tlsFiles,
    keyPassphrase: env['ZKSH_KEY_PASSPHRASE'],
    format: OUTPUT_FORMATS.find((format) => format === options.output) ?? 'text',
    isFormatChosen: options.output !== undefined,
    isKeepGoing: options['keep-going'],
  };
}

const AS_TYPED = { resolve: (text: string) => text };

/** The shell has taken the quotes off already. */
function toToken(text: string): Token {
  return { text, bytes: Buffer.from(text), isText: true, isQuoted: false, start: 0, end: 0 };
}
