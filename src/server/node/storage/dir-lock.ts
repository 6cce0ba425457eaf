/**
 * Keeps two of these servers off one folder. Node has no file locks. Apache's server uses none, so
 * must-be-free.ts looks for its open files.
 *
 * Each starting server makes a claim: a Unix socket in the folder with a unique name
 * (`zkserver.lock.<kernel>.<id>`). It listens before it gets that name. Then it connects to every
 * other claim, and the kernel answers for dead processes.
 *
 * - Refused connection: the process is dead. Its file is removed; its name is never reused.
 * - A holder answers: this start is refused.
 * - Another starter answers: the one with the larger id withdraws, and the other waits for that.
 * - No claim answers: this server holds the folder.
 *
 * If two start at once, the one that lists last finds the other's claim, so both cannot hold.
 *
 * - **Power loss**: the name has the id of the kernel's boot, so older claims are void.
 * - **Containers**: a socket in a shared volume works across containers of one kernel.
 * - **SIGSTOP**: the kernel accepts connections for a stopped process, so it keeps its claim.
 * - **NFS and other shared file systems**: a socket works only within one kernel. There, and
 *   without sockets, each claim has a second file that it rewrites every 2 seconds. A claim of
 *   another kernel is void after 10 seconds without a change. A holder that stalls for longer
 *   counts as dead: between hosts this is a safeguard, not a proof.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, statfs, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  askClaim,
  CLAIM_PREFIX as CLAIM,
  type ClaimAnswer,
  type Listening,
  listenAt,
  UNNAMED_PREFIX,
} from './claim-socket.js';
import { ExitCode, ServerError } from './errors.js';

const BEAT = 'zkserver.beat.';
const BEAT_MS = 2000;
const BEAT_TIMEOUT_MS = 10_000;
/** How long two starting servers may wait for each other. */
const START_TIMEOUT_MS = 15_000;
/** f_type of file systems that kernels share: NFS, SMB, 9P, FUSE, Ceph, Lustre … */
const SHARED_TYPES: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997, 0x65735546, 0x00c36400, 0x0bd00bd0,
  0x5346414f, 0x6b414653, 0x786f4256, 0x47504653, 0x7461636f, 0x01161970,
]);

export interface DirLock {
  release(): Promise<void>;
}

/** @throws ServerError EDATADIRINUSE that names the process */
export async function lockDir(folder: string): Promise<DirLock> {
  const kernel = kernelId();
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const claim = await Claim.make(folder, kernel);
    try {
      const isHeld = await claim.win(deadline);
      if (isHeld) return claim;
    } catch (error) {
      await claim.release();
      throw error;
    }
    await claim.release();
    await delay(20 + Math.floor(Math.random() * 80));
  }
}

/** Containers share it; another boot has another one. */
function kernelId(): string {
  let name = hostname();
  try {
    name = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
  } catch {
    // Only Linux has it. Elsewhere a claim of an earlier boot refuses the connection.
  }
  return createHash('sha1').update(name).digest('hex').slice(0, 12);
}

class Claim implements DirLock {
  private readonly folder: string;
  private readonly kernel: string;
  private readonly name: string;
  private isHolder = false;
  private handle: FileHandle | null = null;
  private listening: Listening | null = null;
  private isBeating = false;
  private beats = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(folder: string, kernel: string) {
    this.folder = folder;
    this.kernel = kernel;
    this.name = `${kernel}.${randomBytes(8).toString('hex')}`;
  }

  static async make(folder: string, kernel: string): Promise<Claim> {
    const claim = new Claim(folder, kernel);
    try {
      await claim.begin();
      return claim;
    } catch (error) {
      await claim.release();
      throw error;
    }
  }

  private async begin(): Promise<void> {
    this.handle = await open(this.folder, 'r');
    const { type } = await statfs(this.folder);
    if (SHARED_TYPES.has(type)) await this.startBeating();
    this.listening = await listenAt(this.place(), CLAIM + this.name, () => this.answer());
    if (this.listening === null && !this.isBeating) await this.startBeating();
  }

  private place(): { folder: string; fd: number } {
    return { folder: this.folder, fd: this.handle?.fd ?? -1 };
  }

  private answer(): string {
    return `${this.isHolder ? 'holder' : 'starter'} ${process.pid} ${hostname()}`;
  }

  private async startBeating(): Promise<void> {
    this.isBeating = true;
    await this.beat();
    this.timer = setInterval(() => this.beat().catch(() => undefined), BEAT_MS);
    this.timer.unref();
  }

  private async beat(): Promise<void> {
    const file = await open(join(this.folder, BEAT + this.name), 'w', 0o644);
    try {
      await file.writeFile(`${this.answer()} ${++this.beats}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** False if this claim must be withdrawn and made again. @throws ServerError EDATADIRINUSE */
  async win(deadline: number): Promise<boolean> {
    for (;;) {
      const rival = await this.firstRival();
      if (rival === null) {
        this.isHolder = true;
        await this.removeUnnamedSockets();
        return true;
      }
      const { answer, name } = rival;
      if (answer.kind === 'holder' || performance.now() > deadline) {
        throw inUse(this.folder, answer);
      }
      if (answer.kind === 'starter' && name < this.name) return false;
      await delay(20);
    }
  }

  /** The first other claim with a living process; removes the files of dead ones. */
  private async firstRival(): Promise<{ name: string; answer: ClaimAnswer } | null> {
    const files = new Set(await readdir(this.folder));
    const own = (this.listening === null ? BEAT : CLAIM) + this.name;
    if (!files.has(own)) {
      throw new ServerError(
        'EDATADIR',
        ExitCode.DATA_DIR,
        `${join(this.folder, own)}: removed during the start. Start the server again`,
      );
    }
    const names = new Set(
      [...files]
        .filter((file) => file.startsWith(CLAIM) || file.startsWith(BEAT))
        .map((file) => file.slice(CLAIM.length)),
    );
    for (const name of [...names].sort()) {
      if (name === this.name) continue;
      const answer = await this.ask(name, files);
      if (answer.kind !== 'gone') return { name, answer };
      for (const prefix of [CLAIM, BEAT]) {
        if (files.has(prefix + name)) await unlink(join(this.folder, prefix + name)).catch(ignore);
      }
    }
    return null;
  }

  /** Removes sockets that a crash left before they had their final name. */
  private async removeUnnamedSockets(): Promise<void> {
    for (const file of await readdir(this.folder)) {
      if (!file.startsWith(UNNAMED_PREFIX)) continue;
      const { kind } = await askClaim(this.place(), file);
      if (kind === 'gone') await unlink(join(this.folder, file)).catch(ignore);
    }
  }

  private async ask(name: string, files: ReadonlySet<string>): Promise<ClaimAnswer> {
    const isOfThisKernel = name.startsWith(`${this.kernel}.`);
    if (isOfThisKernel && files.has(CLAIM + name)) {
      return await askClaim(this.place(), CLAIM + name);
    }
    if (!files.has(BEAT + name)) return { kind: 'gone' };
    return await this.watchBeat(join(this.folder, BEAT + name));
  }

  private async watchBeat(path: string): Promise<ClaimAnswer> {
    const read = () => readFile(path, 'utf8').catch(() => null);
    const first = await read();
    for (let ms = 0; ms < BEAT_TIMEOUT_MS; ms += BEAT_MS / 4) {
      await delay(BEAT_MS / 4);
      const now = await read();
      if (now === null) return { kind: 'gone' };
      // It is empty for a moment while its owner renews it.
      if (now !== first && now !== '') {
        const [role, pid, host] = now.split(' ');
        return role === 'starter' ? { kind: 'starter' } : { kind: 'holder', pid, host };
      }
    }
    return { kind: 'gone' };
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    await unlink(join(this.folder, CLAIM + this.name)).catch(ignore);
    await unlink(join(this.folder, BEAT + this.name)).catch(ignore);
    this.listening?.close();
    this.listening = null;
    await this.handle?.close();
    this.handle = null;
  }
}

function ignore(): void {
  // Another starting server removed the file already.
}

function inUse(folder: string, answer: ClaimAnswer): ServerError {
  const { pid, host } = answer.kind === 'holder' ? answer : { pid: undefined, host: undefined };
  const who = pid === undefined ? 'another server' : `process ${pid} on ${host}`;
  return new ServerError(
    'EDATADIRINUSE',
    ExitCode.DATA_DIR,
    `${folder}: in use by ${who} (expected a data directory of its own). Stop that server first, or use another folder`,
  );
}
