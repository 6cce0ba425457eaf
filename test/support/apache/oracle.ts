import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import { freePort } from '../machine/free-port.js';
import { makeTempDir } from '../machine/temp-dir.js';
import { watchProcess } from '../machine/watched-process.js';
import { waitFor } from '../wait-for.js';
import { archiveFile, archiveFlags } from './java-archive.js';

/** From the package of Java. */
export const KEYTOOL = '/usr/bin/keytool';

/** The folders where Debian's packages put Apache's server, its Java shell, and its C shell. */
export const ZOOKEEPER_JAR = '/usr/share/java/zookeeper.jar';
/** APACHE_CLASS_PATH names the jars of another release; they use the libraries of this one. */
const ZOOKEEPER_JARS = (process.env['APACHE_CLASS_PATH'] ?? ZOOKEEPER_JAR).split(delimiter);
const CLASS_PATH = [...ZOOKEEPER_JARS, '/usr/share/java/slf4j-simple.jar'];
/** Netty, from libzookeeper-java: for TLS, also between servers. */
export const NETTY_JARS = [
  'buffer',
  'codec',
  'common',
  'handler',
  'resolver',
  'transport',
  'transport-native-epoll',
  'transport-native-unix-common',
].map((name) => `/usr/share/java/netty-${name}.jar`);
/** Jetty, on which libzookeeper-java depends: for the AdminServer. */
export const JETTY_JARS = ['jetty9-servlet', 'jetty9-security', 'servlet-api'].map(
  (name) => `/usr/share/java/${name}.jar`,
);
export const C_SHELL = '/usr/lib/zookeeper/bin/cli_mt';
const JAVA = '/usr/bin/java';

function missing(): string | undefined {
  for (const [file, name] of [
    [JAVA, 'default-jre-headless'],
    [ZOOKEEPER_JAR, 'libzookeeper-java'],
    [C_SHELL, 'zookeeper-bin'],
  ] as const) {
    if (!existsSync(file)) return `Debian's ${name} is not installed (${file})`;
  }
  return undefined;
}

const lacking = missing();
if (lacking !== undefined) {
  if (process.env['ZK_ORACLE'] === 'required') {
    throw new Error(`ZK_ORACLE=required, but ${lacking}`);
  }
  console.log(`skipped: tests against Apache's server: ${lacking}`);
}

/** Whether Apache's server is installed. */
export const hasOracle = lacking === undefined;

/** Whether it has the rules of 3.9. */
export const isOracle39 =
  hasOracle && ZOOKEEPER_JARS.some((jar) => /-3\.9\.\d+\.jar$/.test(realpathSync(jar)));
export const ORACLE = isOracle39 ? 'Apache 3.9' : 'Apache 3.8';

/** Registers a test that needs Apache's server. Without it, the test counts as skipped. */
export const oracleTest = hasOracle ? test : test.skip;

export interface Oracle {
  readonly port: number;
  readonly connectString: string;
  readonly dataDir: string;
  /** The log lines so far. */
  output(): string;
  pid(): number;
  /** Sends SIGTERM, or `signal`. Resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Stops it and removes its folder if it was made here. */
  close(): Promise<void>;
}

export interface OracleOptions {
  /** The addresses to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  readonly dataDir?: string;
  /** Further lines of zoo.cfg. */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
  readonly properties?: Readonly<Record<string, string>>;
  /** Further jars. */
  readonly jars?: readonly string[];
  /** JVM options that replace the archive of classes. */
  readonly options?: readonly string[];
}

/** Starts Apache's standalone server on a free port and waits until it serves. */
export async function startOracle(options: OracleOptions = {}): Promise<Oracle> {
  const home = makeTempDir('oracle');
  const dataDir = options.dataDir ?? join(home.path, 'data');
  mkdirSync(dataDir, { recursive: true });
  const port = await freePort();
  const config = {
    dataDir,
    clientPort: port,
    tickTime: 500,
    maxClientCnxns: 0,
    'admin.enableServer': false,
    '4lw.commands.whitelist': '*',
    ...options.config,
    clientPortAddress: options.host ?? '127.0.0.1',
  };
  const file = join(home.path, 'zoo.cfg');
  writeFileSync(
    file,
    Object.entries(config)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  const args = ['org.apache.zookeeper.server.quorum.QuorumPeerMain', file];
  const {
    process: child,
    output,
    stop,
  } = watchProcess(spawnJava(args, options.properties, options.jars, options.options));
  try {
    await waitFor(
      `Apache's server on port ${port}`,
      () => {
        if (child.exitCode !== null) throw new Error(`Apache's server ended:\n${output()}`);
        return isServing(port, config.clientPortAddress);
      },
      60_000,
    );
  } catch (error) {
    await stop('SIGKILL');
    home.remove();
    throw error;
  }
  return {
    port,
    connectString: `${config.clientPortAddress.includes(':') ? `[${config.clientPortAddress}]` : config.clientPortAddress}:${port}`,
    dataDir,
    output,
    pid: () => child.pid ?? 0,
    stop: async (signal) => {
      await stop(signal);
    },
    close: async () => {
      await stop('SIGKILL');
      home.remove();
    },
  };
}

/**
 * Runs a class of zookeeper.jar.
 * @param options further options of the JVM
 */
export function spawnJava(
  args: readonly string[],
  properties: Readonly<Record<string, string>> = {},
  jars: readonly string[] = [],
  options: readonly string[] = archiveFlags([JAVA, ...CLASS_PATH]),
): ChildProcess {
  const classPath = [...CLASS_PATH, ...jars].join(delimiter);
  const flags = Object.entries(properties).map(([key, value]) => `-D${key}=${value}`);
  // The options with the fastest start, because most of these processes live for seconds.
  const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-XX:-UsePerfData'];
  return spawn(JAVA, [...quick, ...options, ...flags, '-cp', classPath, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** The archive of the classes of Apache's server for {@link spawnJava}. */
export const oracleArchive = (): string => archiveFile([JAVA, ...CLASS_PATH]);

/** Whether a server on this port answers `srvr` with a mode. */
export function isServing(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, host, () => socket.write('srvr'));
    socket.setTimeout(2000, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer.includes('Mode: ')));
  });
}
