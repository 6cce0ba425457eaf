import { setTimeout as delay } from 'node:timers/promises';
import type { SessionClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/index.js';
import { OPERATOR_LIMITS } from '../../src/server/limits/operator-limits.js';
import { waitFor } from '../support/wait-for.js';
import type { Attack } from './attack.js';
import type { Scene } from './scene.js';

export interface Verdict {
  readonly attack: string;
  readonly writes: number;
  /** To the strangers. */
  readonly answeredBytes: number;
  /** The largest part of them between two writes. */
  readonly answeredShare: number;
  readonly attackMs: number;
  readonly longestGapMs: number;
  /** The time until all members served again. */
  readonly recoveryMs: number;
  readonly problems: readonly string[];
}

const RUN_LIMIT_MS = 60_000;
const RECOVERY_LIMIT_MS = 30_000;
const WRITE_LIMIT_MS = 30_000;
/** So many that they are work for the members. */
const MANY_ANSWERED_BYTES = 100_000;
/** The share of the answers to strangers between two writes of fair members, at any speed. */
const MAX_SHARE_BETWEEN_WRITES = 1 / 2;
/** The documented deadline, and time for the rest of the shutdown on a busy machine. */
const CLOSE_LIMIT_MS = OPERATOR_LIMITS.shutdownTime.value + 10_000;
/** So few that their descriptors do not count as growth. */
const STANDING = 12;
const MAX_MORE_FILES = 30;
const MAX_MORE_BYTES = 300 * 1024 * 1024;
const TOP = '/strangers';

/** A pause between two writes leaves the processor to the attack. */
const WRITE_PAUSE_MS = 5;

/** Writes one after the other while an attack runs. */
class Writer {
  acknowledged = 0;
  longestGapMs = 0;
  /** The most bytes that the strangers were answered between two writes. */
  mostAnswered = 0;
  private lastMs = performance.now();
  private lastAnswered: number;
  private isOver = false;
  private readonly scene: Scene;
  private running: Promise<void> = Promise.resolve();

  constructor(scene: Scene) {
    this.scene = scene;
    this.lastAnswered = scene.answeredBytes;
  }

  begin(): void {
    this.running = this.run();
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const client = this.open();
      try {
        await client.connect();
        while (!this.isOver) {
          await client.setData(TOP, Buffer.from(`${this.acknowledged}`));
          this.note();
          await delay(WRITE_PAUSE_MS);
        }
      } catch {
        // The connection or the session is lost: the next one continues.
        await delay(20);
      } finally {
        await client.close().catch(() => undefined);
      }
    }
  }

  private open(): SessionClient {
    return createClient({ connectString: this.scene.connectString, sessionTimeoutMs: 6000 });
  }

  private note(): void {
    const nowMs = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, nowMs - this.lastMs);
    this.lastMs = nowMs;
    const { answeredBytes } = this.scene;
    this.mostAnswered = Math.max(this.mostAnswered, answeredBytes - this.lastAnswered);
    this.lastAnswered = answeredBytes;
    this.acknowledged++;
  }

  async end(): Promise<void> {
    this.isOver = true;
    this.longestGapMs = Math.max(this.longestGapMs, performance.now() - this.lastMs);
    await Promise.race([this.running, delay(10_000)]);
  }
}

/** Runs one attack on a serving ensemble, and reports the damage. */
export async function runAttack(scene: Scene, attack: Attack): Promise<Verdict> {
  await ensureTop(scene);
  const before = scene.resources();
  const writer = new Writer(scene);
  writer.begin();
  const problems: string[] = [];
  await waitFor('a first write', () => writer.acknowledged > 0);
  const first = writer.acknowledged;
  const answered = scene.answeredBytes;
  const startMs = performance.now();
  const late = delay(RUN_LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`it did not end within ${RUN_LIMIT_MS} ms`);
  });
  late.catch(() => undefined);
  await Promise.race([attack.run(scene), late]).catch((error: Error) => {
    problems.push(`the attack: ${error.message}`);
  });
  const attackMs = Math.round(performance.now() - startMs);
  // The connections are still open. A short attack leaves a slow machine no time for a write.
  const soFar = writer.acknowledged;
  const hasWritten = () => writer.acknowledged > soFar;
  await waitFor('a write', hasWritten, WRITE_LIMIT_MS).catch((error: Error) => {
    problems.push(error.message);
  });
  const writes = writer.acknowledged - first;
  const answeredBytes = scene.answeredBytes - answered;
  const answeredShare = answeredBytes === 0 ? 0 : writer.mostAnswered / answeredBytes;
  if (answeredBytes > MANY_ANSWERED_BYTES && answeredShare > MAX_SHARE_BETWEEN_WRITES) {
    const percent = Math.round(answeredShare * 100);
    problems.push(
      `no write while the strangers were answered ${percent} % of ${answeredBytes} bytes`,
    );
  }
  await writer.end();
  scene.dismiss(STANDING);
  const endMs = performance.now();
  problems.push(...(await compareResources(scene, before)));
  problems.push(...(await checkClose(scene)));
  scene.dismiss();
  if (!(await scene.allServe(RECOVERY_LIMIT_MS))) {
    problems.push(`not all members serve after it: ${(await scene.roles()).join(', ')}`);
  } else {
    problems.push(...(await compareTrees(scene)));
    problems.push(
      ...((await attack.damage?.(scene).catch(({ message }: Error) => [message])) ?? []),
    );
  }
  const recoveryMs = Math.round(performance.now() - endMs);
  const longestGapMs = Math.round(writer.longestGapMs);
  return {
    attack: attack.name,
    attackMs,
    writes,
    answeredBytes,
    answeredShare,
    longestGapMs,
    recoveryMs,
    problems,
  };
}

async function ensureTop(scene: Scene): Promise<void> {
  const client = await scene.client();
  try {
    if ((await client.exists(TOP)) === null) await client.create(TOP);
  } finally {
    await client.close();
  }
}

/** Writes through each member, then compares the trees of all. */
async function compareTrees(scene: Scene): Promise<string[]> {
  const clients: SessionClient[] = [];
  try {
    for (const sid of scene.sids) clients.push(await scene.client(sid));
    for (const client of clients) await client.setData(TOP, Buffer.from('after'));
    const trees: string[] = [];
    for (const client of clients) {
      await client.sync('/');
      trees.push((await linesOf(client, '/')).join('\n'));
    }
    return new Set(trees).size === 1 ? [] : [`the trees differ:\n${trees.join('\n--\n')}`];
  } catch (error) {
    return [`a write or read by each member failed: ${(error as Error).message}`];
  } finally {
    await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
  }
}

async function linesOf(client: SessionClient, path: string): Promise<string[]> {
  const { data, stat } = await client.getData(path).catch(() => ({ data: null, stat: undefined }));
  const text = `${path} ${data?.toString('hex')} ${stat?.mzxid} ${stat?.cversion} ${stat?.ephemeralOwner}`;
  const { children } = await client.getChildren(path);
  const lines = [path === '/zookeeper/config' ? path : text];
  for (const child of [...children].sort()) {
    lines.push(...(await linesOf(client, path === '/' ? `/${child}` : `${path}/${child}`)));
  }
  return lines;
}

/**
 * Stops the member with the most strangers while they are connected, and restarts it. It can serve
 * only if its data directory was free.
 */
async function checkClose(scene: Scene): Promise<string[]> {
  const sid = scene.mostAttacked();
  const isInTime = await scene.stop(sid, CLOSE_LIMIT_MS);
  scene.startMember(sid);
  return isInTime ? [] : [`server ${sid} did not end within ${CLOSE_LIMIT_MS} ms of SIGTERM`];
}

async function compareResources(
  scene: Scene,
  before: ReturnType<Scene['resources']>,
): Promise<string[]> {
  const excess = () =>
    scene.resources().flatMap(({ files, bytes }, at) => {
      const was = before[at] ?? { files: 0, bytes: 0 };
      const sid = scene.sids[at];
      const problems: string[] = [];
      if (files > was.files + MAX_MORE_FILES) {
        problems.push(`server ${sid} keeps ${files} open files (${was.files} before)`);
      }
      if (bytes > was.bytes + MAX_MORE_BYTES) {
        problems.push(
          `server ${sid} keeps ${Math.round(bytes / 1e6)} MB (${Math.round(was.bytes / 1e6)} before)`,
        );
      }
      return problems;
    });
  if (excess().length === 0) return [];
  const client = await scene.client().catch(() => undefined);
  // Busy members collect garbage, so their memory does not count as growth.
  const work = async () => {
    await client?.setData(TOP, Buffer.alloc(MAX_MORE_BYTES / 1000)).catch(() => undefined);
    return excess().length === 0;
  };
  await waitFor('links to be let go', work, 15_000).catch(() => undefined);
  await client?.close().catch(() => undefined);
  return excess();
}
