/** Starts on a folder that a process without locks, such as Apache's server, has open. */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExitCode, ServerError } from '../../../../src/server/main.js';
import { startBundled } from '../../../support/bundled.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { watchProcess } from '../../../support/machine/watched-process.js';
import { withClient } from '../../../support/peers/seat-client.js';
import { waitFor } from '../../../support/wait-for.js';

/** Runs `work` while a process has the file open with these flags. */
async function whileOpen(
  path: string,
  flags: string,
  work: (pid: number) => Promise<void>,
): Promise<void> {
  const script = `fs.openSync(process.argv[1], process.argv[2]); console.log('open'); setInterval(() => 0, 9999)`;
  const {
    process: child,
    output,
    stop,
  } = watchProcess(
    spawn(process.execPath, ['-e', script, path, flags], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  try {
    await waitFor('the file to be open', () => output().includes('open') || undefined);
    await work(child.pid ?? 0);
  } finally {
    await stop('SIGKILL');
  }
}

interface Made {
  readonly dataDir: string;
  readonly config: Record<string, string>;
  readonly log: string;
  readonly snapshot: string;
}

/** A folder whose log has zeros ahead of its tail, as of a server that runs or was killed. */
async function withUnclosed(logDir: string, work: (made: Made) => Promise<void>): Promise<void> {
  const home = makeTempDir('must-be-free');
  const dataDir = join(home.path, 'data');
  const dataLogDir = join(home.path, logDir);
  const config = { dataLogDir };
  try {
    const server = await startBundled({ dataDir, config });
    await withClient({ connectString: server.connectString }, (client) => client.create('/a'));
    await server.close();
    const fileIn = (folder: string, prefix: string) =>
      join(folder, readdirSync(folder).find((name) => name.startsWith(prefix)) ?? '');
    const log = fileIn(join(dataLogDir, 'version-2'), 'log.');
    const snapshot = fileIn(join(dataDir, 'version-2'), 'snapshot.');
    appendFileSync(log, Buffer.alloc(4096));
    await work({ dataDir, config, log, snapshot });
  } finally {
    home.remove();
  }
}

async function start({ dataDir, config }: Made): Promise<void> {
  const server = await startBundled({ dataDir, config });
  await server.close();
}

async function refusal(made: Made): Promise<ServerError> {
  try {
    await start(made);
  } catch (error) {
    if (error instanceof ServerError) return error;
    throw error;
  }
  throw new Error('it started');
}

test('a log that another process writes refuses the start, and stays unchanged', () =>
  withUnclosed('data', async (made) => {
    const before = readFileSync(made.log);
    await whileOpen(made.log, 'r+', async (pid) => {
      const { code, exitCode, message } = await refusal(made);
      assert.equal([code, exitCode], ['EDATADIRINUSE', ExitCode.DATA_DIR]);
      assert.is(
        message,
        `${made.log}: process ${pid} (node) has it open for writing (expected a data directory of its own). Stop that server first, or use another folder`,
      );
      assert.equal(readFileSync(made.log), before);
    });
    await start(made);
  }));

test('a path through a link shows the same file', () =>
  withUnclosed('data', async (made) => {
    const link = `${made.dataDir}-link`;
    symlinkSync(made.dataDir, link);
    await whileOpen(made.log, 'a', async () => {
      const config = { dataLogDir: link };
      assert.is((await refusal({ ...made, dataDir: link, config })).code, 'EDATADIRINUSE');
    });
  }));

test('dataLogDir and dataDir both count', () =>
  withUnclosed('log', async (made) => {
    for (const file of [made.log, made.snapshot]) {
      await whileOpen(file, 'a', async () => {
        assert.ok((await refusal(made)).message.startsWith(`${file}: process `));
      });
    }
  }));

test('a process that reads, such as a backup, does not refuse the start', () =>
  withUnclosed('data', (made) => whileOpen(made.log, 'r', () => start(made))));

test('the files that this process has open are its own', () =>
  withUnclosed('data', async (made) => {
    const file = openSync(made.log, 'r+');
    try {
      await start(made);
    } finally {
      closeSync(file);
    }
  }));

test.run();
