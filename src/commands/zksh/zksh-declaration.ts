import type { CommandDeclaration } from '../machine/declaration.js';
import { SHELL_FORMATS } from '../program/output-format.js';

const OPTIONS = {
  command: {
    letter: 'c',
    kind: 'text',
    valueName: 'CMDS',
    isRepeatable: true,
    summary: 'run these commands, separated by ; or newlines, and exit',
  },
  file: {
    letter: 'f',
    kind: 'file',
    valueName: 'FILE',
    summary: 'run a script; - is standard input',
  },
  embedded: { summary: 'start a bundled server in memory and connect to it' },
  'data-dir': {
    kind: 'folder',
    valueName: 'DIR',
    summary: 'folder for the data of the embedded server',
  },
  client: {
    kind: 'text',
    choices: ['builtin', 'native'],
    summary: "builtin (default), or native, which is Apache's C client",
  },
  timeout: {
    kind: 'duration',
    valueName: 'TIME',
    min: 1,
    max: 0x7fff_ffff,
    summary:
      'timeout of each connection attempt, request, and four-letter word, and the requested session timeout',
  },
  readonly: { summary: 'refuse every change, and accept a read-only server' },
  'dry-run': {
    letter: 'n',
    summary: 'print what each command would change, and send no change',
  },
  auth: {
    kind: 'secret',
    valueName: 'USER[:PASSWORD]',
    summary:
      'authenticate with the digest scheme; without PASSWORD, prompt for it; ZKSH_AUTH in the environment hides both from process lists',
  },
  'auth-file': {
    kind: 'file',
    valueName: 'FILE',
    summary: 'like --auth, from the first line of a file that only its owner may read',
  },
  'sasl-file': {
    kind: 'file',
    valueName: 'FILE',
    summary:
      'log in with SASL: user:password in the first line of a file that only its owner may read, or the section Client of a JAAS file, also with Kerberos',
  },
  'ask-auth': {
    kind: 'text',
    valueName: 'USER',
    summary: 'authenticate as USER with the digest scheme, and prompt for the password',
  },
  profile: {
    letter: 'P',
    kind: 'text',
    valueName: 'NAME',
    summary: 'use the servers and options of a profile in the configuration file',
  },
  'allow-changes': { summary: 'allow changes with a protected profile, without confirmation' },
  properties: {
    kind: 'file',
    valueName: 'FILE',
    summary: "read a client configuration of Apache's shell; TLS requires PEM files",
  },
  cacert: {
    kind: 'file',
    valueName: 'FILE',
    summary: 'PEM file of trusted CAs for TLS; default: those of Node.js',
  },
  cert: { kind: 'file', valueName: 'FILE', summary: 'PEM file of the client certificate for TLS' },
  key: {
    kind: 'file',
    valueName: 'FILE',
    summary: 'PEM file of its private key, unless --cert contains it',
  },
  servername: {
    kind: 'text',
    valueName: 'NAME',
    summary: "name to expect in the servers' certificates, instead of their hosts",
  },
  insecure: {
    summary: 'accept any certificate over TLS, so that any host can impersonate the server',
  },
  output: {
    letter: 'o',
    kind: 'text',
    valueName: 'FORMAT',
    choices: SHELL_FORMATS,
    summary: 'output format: text (default), table, json, ndjson, or raw',
  },
  trace: { summary: 'print each request and answer on standard error, without data' },
  'keep-going': {
    letter: 'k',
    summary:
      'continue after an error, unless no server is reachable; the first error sets the exit status',
  },
  zkcli: {
    summary: "act as Apache's shell, with the arguments of zkCli.sh; must be the first argument",
  },
  help: { letter: 'h', summary: 'show this help' },
  version: { letter: 'V', summary: 'show the version' },
} as const;

const ARGS = {
  connect: {
    kind: 'target',
    isOptional: true,
    summary:
      'host[:port][,host[:port]...][/chroot], by default 127.0.0.1:2181; the prefix zks:// selects TLS, with the default port 2281; srv://_zookeeper._tcp.DOMAIN[/chroot] stands for the servers of these SRV records, and srvs:// for the same over TLS',
  },
  command: {
    kind: 'word',
    isOptional: true,
    isVariadic: true,
    summary: 'one command and its arguments; a host that has the name of a command needs its port',
  },
} as const;

/** The command line of zksh, declared like a command. */
export const ZKSH = {
  name: 'zksh',
  group: 'shell',
  summary: 'A shell for Apache ZooKeeper',
  description:
    'Without -c and -f, zksh reads commands from standard input; on a terminal, it is an interactive shell. Results go to standard output, everything else to standard error.',
  options: OPTIONS,
  args: ARGS,
  examples: [
    { line: 'zksh zk1:2181 get /a', summary: 'Run one command' },
    { line: "zksh zk1:2181 -c 'create /a hello; get /a'", summary: 'Run two commands' },
    { line: 'zksh zk1,zk2,zk3/app < script', summary: 'Run a script below a chroot' },
    { line: 'zksh --cacert ca.pem zks://zk1', summary: 'Connect over TLS' },
    { line: 'zksh --embedded', summary: 'Try zksh without a server' },
  ],
} as const satisfies CommandDeclaration;
