/**
 * `npm run bench -- files`: writes a transaction log of 1 GiB to a temporary folder, then verifies
 * it with zkops and, where installed, Apache's TxnLogToolkit. The toolkit cannot only check: it
 * prints every record, as zkops log dump does. Here its output is discarded.
 *
 *   npm run bench -- files [--mib 1024] [--data 200] [--runs 3]
 */

import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeTxn } from '../src/files/txn.js';
import { beginEntry, encodeLogHeader, endEntry } from '../src/files/txn-log.js';
import { OutputArchive } from '../src/jute/output-archive.js';
import { OpCode } from '../src/protocol/op-code.js';
import { numberAfter } from './figures.js';
import { apacheVersion, hasApache } from './servers.js';
import { commit, printTable } from './table.js';

const ZKOPS = fileURLToPath(new URL('../src/bin/zkops.js', import.meta.url));
const TOOLKIT = 'org.apache.zookeeper.server.persistence.TxnLogToolkit';
const CLASS_PATH = [
  '/usr/share/java/zookeeper.jar',
  '/usr/share/java/slf4j-nop.jar',
  '/usr/share/java/commons-cli.jar',
].join(':');
const MIB = 1024 * 1024;

interface Figures {
  readonly seconds: number;
  readonly residentMiB: number;
  readonly exitCode: number | null;
}

/** Writes setData txns until the file has that size; returns their count. */
function makeLog(path: string, size: number, dataSize: number): number {
  const file = openSync(path, 'w');
  const data = 'abcdefghij'.repeat(Math.ceil(dataSize / 10)).slice(0, dataSize);
  let written = writeSync(file, encodeLogHeader());
  let count = 0;
  while (written < size) {
    const out = new OutputArchive(2 * MIB);
    while (out.length < MIB) {
      count++;
      const head = {
        sessionId: 0x1000n,
        cxid: count,
        zxid: BigInt(count),
        time: 1_700_000_000_000n,
      };
      const start = beginEntry(out);
      const txn = { type: OpCode.setData, path: `/app/node-${count % 1000}`, data, version: count };
      writeTxn(out, head, txn, BigInt(count));
      endEntry(out, start);
    }
    written += writeSync(file, out.take());
  }
  closeSync(file);
  return count;
}

/** Runs a program to its end and discards its output. */
async function measure(command: string, args: readonly string[]): Promise<Figures> {
  const startedAt = performance.now();
  const child = spawn(command, args, { stdio: 'ignore' });
  let residentMiB = 0;
  // The kernel keeps the peak, so the last reading before the end is close to it.
  const look = setInterval(() => {
    residentMiB = Math.max(residentMiB, peakMiB(child.pid ?? 0));
  }, 20);
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(look);
  return { seconds: (performance.now() - startedAt) / 1000, residentMiB, exitCode };
}

function peakMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function best(runs: number, command: string, args: readonly string[]): Promise<Figures> {
  let found: Figures | undefined;
  for (let run = 0; run < runs; run++) {
    const figures = await measure(command, args);
    if (figures.exitCode !== 0) throw new Error(`${command} ended with ${figures.exitCode}`);
    const residentMiB = Math.max(figures.residentMiB, found?.residentMiB ?? 0);
    const seconds = Math.min(figures.seconds, found?.seconds ?? Number.POSITIVE_INFINITY);
    found = { ...figures, seconds, residentMiB };
  }
  if (found === undefined) throw new Error('expected at least one run');
  return found;
}

const args = process.argv.slice(2);
const mib = Math.min(4096, numberAfter(args, '--mib', 1024));
const dataSize = numberAfter(args, '--data', 200);
const runs = numberAfter(args, '--runs', 3);
const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
try {
  const log = join(home, 'log.1');
  const records = makeLog(log, mib * MIB, dataSize);
  const verify = await best(runs, process.execPath, [ZKOPS, 'log', 'verify', log]);
  const dump = await best(1, process.execPath, [ZKOPS, 'log', 'dump', log, '-o', 'plain']);
  const toolkit = hasApache()
    ? await best(runs, '/usr/bin/java', ['-cp', CLASS_PATH, TOOLKIT, log])
    : null;
  const row = (name: string, figures: Figures | null): string[] => {
    if (figures === null) return [name, '-', '-', '-'];
    const { seconds, residentMiB } = figures;
    const ratio = toolkit === null ? '-' : (seconds / toolkit.seconds).toFixed(2);
    return [name, seconds.toFixed(1), residentMiB.toFixed(0), ratio];
  };
  process.stdout.write(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
      `Node.js ${process.version}, Apache ZooKeeper ${hasApache() ? apacheVersion() : 'not installed'}, ` +
      `${mib} MiB, ${records.toLocaleString('en')} records of ${dataSize} bytes of data\n\n`,
  );
  printTable([
    ['', 'seconds', 'peak memory, MiB', 'ratio of the time'],
    row('zkops log verify', verify),
    row('zkops log dump -o plain', dump),
    row("Apache's TxnLogToolkit", toolkit),
  ]);
} finally {
  rmSync(home, { recursive: true, force: true });
}
