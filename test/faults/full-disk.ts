/**
 * A server process with a limit on the size of its files (ulimit -f), under clients that write. If
 * its snapshots fail, it must continue to serve. If its log fails, it must end.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/index.js';
import { OPERATOR_LIMITS } from '../../src/server/limits/operator-limits.js';
import { ExitCode } from '../../src/server/main.js';
import { getData } from '../strangers/client-attacks.js';
import { clientHello, Stranger } from '../strangers/wire.js';
import { runZkserver } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { Random } from '../support/random.js';
import { waitFor } from '../support/wait-for.js';

export type FullFile = 'snapshot' | 'log';

export interface FullDiskOptions {
  /** The kind of file that does not fit on the disk. */
  readonly full: FullFile;
  readonly seed: number;
  /** A client requests more than the socket buffers, and never reads. */
  readonly hasSilentReader: boolean;
  /** The path of a bundled zkserver. */
  readonly server?: string | undefined;
}

export interface FullDiskResult {
  /** Violations; empty if the run passed. */
  readonly problems: readonly string[];
  readonly acknowledged: number;
}

const KIB = 1024;
/** The unit of ulimit. */
const BLOCK = 512;
/** The next smaller file always fits into this limit: a log of one snapCount, or a znode. */
const FILE_LIMIT = 1200 * KIB;
const LARGE_SIZE = 900_000;
/** More than sockets buffer, less than the limit of unread bytes. */
const LARGE_READS = 40;
const PATHS = 400;
const WRITERS = 8;
const WRITES = 1200;
const SNAP_COUNT = 50;
/** The documented deadline, and time for the rest of the shutdown on a busy machine. */
const CLOSE_LIMIT_MS = OPERATOR_LIMITS.shutdownTime.value + 10_000;
const FORMATS = /^((log|snapshot)\.[0-9a-f]+|acceptedEpoch|currentEpoch)$/;
const LOCK = /^zkserver\.lock/;

/** Sent and acknowledged writes, by path. */
interface Written {
  sent: number;
  acked: number;
}

class FullDiskRun {
  readonly problems: string[] = [];
  readonly written = new Map<string, Written>();
  acknowledged = 0;
  private readonly options: FullDiskOptions;
  private readonly random: Random;
  private readonly home = makeTempDir('full-disk');
  private running: ReturnType<typeof runZkserver> | undefined;
  private port = 0;
  private readers: Stranger[] = [];

  constructor(options: FullDiskOptions) {
    this.options = options;
    this.random = new Random(options.seed);
  }

  async run(): Promise<void> {
    try {
      await this.start(['sh', '-c', `ulimit -f ${FILE_LIMIT / BLOCK} && exec "$@"`, 'sh']);
      const client = await this.connect();
      await client.create('/large', Buffer.alloc(LARGE_SIZE));
      if (this.options.hasSilentReader) this.addSilentReader();
      await this.writeAll(client);
      await (this.options.full === 'snapshot' ? this.serveOn(client) : this.endItself(client));
      for (const reader of this.readers) reader.close();
      this.checkFiles('its end');
      await this.start([]);
      await this.checkTree();
      this.checkFiles('the next start');
    } finally {
      for (const reader of this.readers) reader.close();
      await this.running?.stop('SIGKILL');
      this.home.remove();
    }
  }

  private async start(prefix: readonly string[]): Promise<void> {
    this.port = await freePort();
    const config = join(this.home.path, 'zoo.cfg');
    const lines = {
      dataDir: join(this.home.path, 'data'),
      clientPort: this.port,
      clientPortAddress: '127.0.0.1',
      'admin.enableServer': false,
      snapCount: this.options.full === 'snapshot' ? SNAP_COUNT : 1_000_000,
    };
    const text = Object.entries(lines).map(([key, value]) => `${key}=${value}\n`);
    writeFileSync(config, text.join(''));
    const running = runZkserver(['start-foreground', config], prefix, this.options.server);
    this.running = running;
    await waitFor('the server to serve', () => {
      const { exitCode } = running.process;
      if (exitCode !== null) throw new Error(`it ended with ${exitCode}:\n${running.output()}`);
      return /serving on /.test(running.output());
    });
  }

  private async connect(): Promise<SessionClient> {
    const client = createClient({ connectString: `127.0.0.1:${this.port}` });
    await client.connect();
    return client;
  }

  private addSilentReader(): void {
    const asked = Array.from({ length: LARGE_READS }, (_, i) => getData(i, '/large'));
    const reader = new Stranger(this.port, false);
    this.readers.push(reader.send(clientHello(0n, 30_000, 0n), ...asked));
  }

  /** Writes up to a count, or until the first failure. */
  private async writeAll(client: SessionClient): Promise<void> {
    let left = WRITES;
    let isOver = false;
    const write = async (worker: number): Promise<void> => {
      while (!isOver && left-- > 0) {
        const path = `/n${worker + WRITERS * this.random.below(PATHS / WRITERS)}`;
        const state = this.written.get(path) ?? { sent: 0, acked: 0 };
        this.written.set(path, state);
        const data = Buffer.alloc(3000 + this.random.below(5000), `${++state.sent} `);
        if (state.acked === 0) await client.create(path, data);
        else await client.setData(path, data);
        state.acked = state.sent;
        this.acknowledged++;
      }
    };
    const workers = Array.from({ length: WRITERS }, (_, at) => write(at));
    await Promise.all(workers).catch(async (error: Error) => {
      isOver = true;
      await Promise.allSettled(workers);
      if (this.options.full === 'snapshot') this.problems.push(`a write failed: ${error.message}`);
    });
  }

  /** Only snapshots failed: clients saw no error, and the disk space is freed. */
  private async serveOn(client: SessionClient): Promise<void> {
    const { output = () => '' } = this.running ?? {};
    if (!/EFBIG/.test(output())) this.problems.push('no snapshot failed: the run proves nothing');
    const isClean = () => !this.files().some((name) => name.endsWith('.tmp'));
    await waitFor('failed snapshots to be removed', isClean, 5000).catch(() => undefined);
    this.checkFiles('failed snapshots');
    await client.close().catch(() => undefined);
    await this.checkEnd('SIGTERM', ExitCode.OK, () => this.running?.process.kill('SIGTERM'));
  }

  private async endItself(client: SessionClient): Promise<void> {
    await this.checkEnd('a failed write of its log', ExitCode.DISK, () => undefined);
    const output = this.running?.output() ?? '';
    if (!/cannot write the transaction log/.test(output)) {
      this.problems.push(`it does not say why it ended:\n${output.slice(-1000)}`);
    }
    await client.close().catch(() => undefined);
  }

  private async checkEnd(cause: string, code: ExitCode, end: () => void): Promise<void> {
    end();
    let found: number | null | undefined;
    const ended = this.running?.ended.then((exitCode) => {
      found = exitCode ?? -1;
    });
    await waitFor('its end', () => found !== undefined, CLOSE_LIMIT_MS).catch(() => undefined);
    if (found === undefined) {
      this.problems.push(`it did not end within ${CLOSE_LIMIT_MS} ms of ${cause}`);
      await this.running?.stop('SIGKILL');
      await ended;
    } else if (found !== code) {
      this.problems.push(`it ended with ${found} instead of ${code} after ${cause}`);
    }
  }

  private files(): string[] {
    return readdirSync(join(this.home.path, 'data', 'version-2'));
  }

  /** The directory has only files that a start uses. */
  private checkFiles(when: string): void {
    const isLocked = this.running?.process.exitCode === null;
    const isKnown = (name: string) => FORMATS.test(name) || (isLocked && LOCK.test(name));
    const unknown = this.files().filter((name) => !isKnown(name));
    if (unknown.length > 0) this.problems.push(`after ${when} there are: ${unknown.join(', ')}`);
  }

  private async checkTree(): Promise<void> {
    const client = await this.connect();
    for (const [path, { sent, acked }] of this.written) {
      const found = await client.getData(path).catch(() => undefined);
      const count = found === undefined ? 0 : Number.parseInt(`${found.data}`, 10);
      if (count >= acked && count <= sent) continue;
      this.problems.push(`${path}: write ${acked} was acknowledged, write ${count} is there`);
    }
    await client.close();
  }
}

export async function runFullDisk(options: FullDiskOptions): Promise<FullDiskResult> {
  const run = new FullDiskRun(options);
  await run.run();
  return run;
}
