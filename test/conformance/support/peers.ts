/**
 * Other libraries' recipes in processes of their own: Curator's by a Java program, kazoo's by a
 * Python program (test/conformance/peers).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { spawnJava } from '../../support/apache/oracle.js';
import { watchProcess } from '../../support/machine/watched-process.js';
import { PROJECT_ROOT } from '../../support/tidy/source-file.js';

const FOLDER = join(PROJECT_ROOT, 'test/conformance/peers');
const JAVA = '/usr/bin/java';
const PYTHON = '/usr/bin/python3';
const KAZOO = '/usr/lib/python3/dist-packages/kazoo';

const jar = (name: string): string => `/usr/share/java/${name}.jar`;
const CURATOR_JARS = [
  'curator-client',
  'curator-framework',
  'curator-recipes',
  'curator-x-discovery',
  'guava',
  'jackson-annotations',
  'jackson-core',
  'jackson-databind',
].map(jar);

interface Requirement {
  readonly file: string;
  readonly package: string;
}

/** Registers tests that need these files; without them, they count as skipped. */
function testWith(what: string, all: readonly Requirement[]): typeof test | typeof test.skip {
  const lacking = all.find(({ file }) => !existsSync(file));
  if (lacking === undefined) return test;
  const why = `Debian's ${lacking.package} is not installed (${lacking.file})`;
  if (process.env['ZK_ORACLE'] === 'required') throw new Error(`ZK_ORACLE=required, but ${why}`);
  console.log(`skipped: tests against ${what}: ${why}`);
  return test.skip;
}

/** For tests against Curator. */
export const curatorTest = testWith('Curator', [
  { file: JAVA, package: 'default-jre-headless' },
  { file: jar('zookeeper'), package: 'libzookeeper-java' },
  { file: jar('curator-recipes'), package: 'libcurator-recipes-java' },
  { file: jar('curator-x-discovery'), package: 'libcurator-discovery-java' },
]);

/** For tests against kazoo. */
export const kazooTest = testWith('kazoo', [{ file: KAZOO, package: 'python3-kazoo' }]);

/** A process that runs commands of a peer program. */
export interface Peer {
  /** Resolves with the text of the result. Commands of one path run one after the other. */
  run(command: string, path: string, ...args: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

export function startCurator(connectString: string): Peer {
  const program = join(FOLDER, 'CuratorPeer.java');
  return peerOf(spawnJava([program, connectString], {}, CURATOR_JARS, []));
}

export function startKazoo(connectString: string): Peer {
  return peerOf(spawn(PYTHON, [join(FOLDER, 'kazoo_peer.py'), connectString]));
}

interface Call {
  resolve(result: string): void;
  reject(error: Error): void;
}

function peerOf(child: ChildProcess): Peer {
  const waiting = new Map<string, Call>();
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, id = '', result = ''] = /^(\d+) (.*)$/.exec(line) ?? [];
      waiting.get(id)?.resolve(result);
      waiting.delete(id);
    }
  });
  const { output, stop } = watchProcess(child);
  const ended = (): Error => new Error(`the peer has ended:\n${output()}`);
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(ended());
  });
  let count = 0;
  return {
    run: (command, path, ...args) =>
      new Promise((resolve, reject) => {
        if (child.exitCode !== null) reject(ended());
        const id = String(++count);
        waiting.set(id, { resolve, reject });
        child.stdin?.write(`${[id, command, path, ...args].join(' ')}\n`);
      }),
    close: async () => {
      await stop('SIGKILL');
    },
  };
}
