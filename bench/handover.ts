/**
 * `npm run bench -- handover`: a leader hands over to another voter, again and again, while a
 * client of each member writes without a pause, beside idle sessions. Measures the longest time
 * without an acknowledged write, of the clients of all members; then the same for a leader that
 * is killed.
 *
 *   npm run bench -- handover [--sessions 1000] [--moves 20] [--kills 5]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient, type ZooKeeperClient } from '../src/client/index.js';
import { median } from './figures.js';
import { prepareLoad } from './load.js';
import { type Member, startEnsemble } from './members.js';
import { freePort, modeOf, startBenchServer } from './servers.js';
import { StormSession } from './storm-session.js';
import { commit, printTable } from './table.js';

const OPENED_AT_ONCE = 40;
/** Before and after each change of the leader. */
const CALM_MS = 500;
const PATH = '/handover';

/** Writes at one member, or where its list of servers leads, until it is stopped. */
class Writer {
  private readonly client: ZooKeeperClient;
  private readonly path: string;
  private lastMs = performance.now();
  private longestMs = 0;
  private isOver = false;
  private readonly done: Promise<void>;

  constructor(ports: readonly number[], path: string) {
    this.client = createClient({ connectString: ports.map((port) => `127.0.0.1:${port}`).join() });
    this.path = path;
    this.done = this.run();
  }

  private async run(): Promise<void> {
    await this.client.connect();
    while (!this.isOver) {
      await this.client.setData(this.path, 'x').then(
        () => this.noteAck(),
        () => delay(1),
      );
    }
    await this.client.close();
  }

  private noteAck(): void {
    const now = performance.now();
    this.longestMs = Math.max(this.longestMs, now - this.lastMs);
    this.lastMs = now;
  }

  /** Since the last call, in ms. */
  takeLongest(): number {
    const { longestMs } = this;
    this.longestMs = 0;
    return longestMs;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.done;
  }
}

interface Gap {
  readonly median: number;
  readonly worst: number;
}

function gapOf(gaps: readonly number[]): Gap {
  return { median: median(gaps), worst: Math.max(...gaps) };
}

async function leaderAt(members: readonly Member[]): Promise<number> {
  for (;;) {
    const modes = await Promise.all(members.map(({ port }) => modeOf(port).catch(() => '')));
    const at = modes.indexOf('leader');
    if (at >= 0) return at;
    await delay(10);
  }
}

async function moveLeader(adminPort: number, to: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/commands/move_leader`, {
    method: 'POST',
    headers: { authorization: 'digest bench:bench' },
    body: JSON.stringify({ to }),
  });
  if (!answer.ok) throw new Error(`move_leader: ${answer.status} ${await answer.text()}`);
}

async function openSessions(ports: readonly number[], count: number): Promise<StormSession[]> {
  const sessions = Array.from({ length: count }, (_, i) => new StormSession(ports, i, PATH));
  for (let at = 0; at < count; at += OPENED_AT_ONCE) {
    await Promise.all(sessions.slice(at, at + OPENED_AT_ONCE).map((session) => session.open()));
  }
  return sessions;
}

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000' },
    moves: { type: 'string', default: '20' },
    kills: { type: 'string', default: '5' },
  },
});
const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
const admins = [await freePort(), await freePort(), await freePort()];
const lines = admins.map((port) => [
  'admin.enableServer=true',
  'admin.serverAddress=127.0.0.1',
  `admin.serverPort=${port}`,
]);
const { members } = await startEnsemble('zksh', home, [], 3, (sid) => lines[sid - 1] ?? []);
const ports = members.map(({ port }) => port);
const writers: Writer[] = [];
let sessions: StormSession[] = [];
try {
  await prepareLoad(ports[0] ?? 0, PATH, 100);
  sessions = await openSessions(ports, Number(values.sessions));
  for (const port of ports) writers.push(new Writer([port, ...ports], `${PATH}/node`));
  const longest = () => Math.max(...writers.map((writer) => writer.takeLongest()));
  await delay(4 * CALM_MS);
  const measure = async (change: () => Promise<void>): Promise<number> => {
    await delay(CALM_MS);
    longest();
    await change();
    await delay(CALM_MS);
    return longest();
  };
  const quiet = await measure(async () => undefined);
  const moved: number[] = [];
  for (let i = 0; i < Number(values.moves); i++) {
    const at = await leaderAt(members);
    moved.push(await measure(() => moveLeader(admins[at] ?? 0, ((at + 1) % ports.length) + 1)));
  }
  const killed: number[] = [];
  for (let i = 0; i < Number(values.kills); i++) {
    const member = members[await leaderAt(members)] as Member;
    killed.push(
      await measure(async () => {
        await member.server.kill();
        await leaderAt(members.filter((other) => other !== member));
      }),
    );
    const { folder, port, lines: seat } = member;
    member.server = await startBenchServer('zksh', home, { folder, seat: { port, lines: seat } });
  }
  const model = cpus()[0]?.model ?? 'unknown processor';
  console.log(`${availableParallelism()} cores (${model}), commit ${commit()},`);
  console.log(`Node.js ${process.versions.node}, ${values.sessions} sessions\n`);
  const row = (name: string, { median: middle, worst }: Gap): string[] => [
    name,
    middle.toFixed(0),
    worst.toFixed(0),
  ];
  printTable([
    ['longest time without a write of any client, ms', 'median', 'worst'],
    row('nothing happens', gapOf([quiet])),
    row(`${moved.length} handovers`, gapOf(moved)),
    row(`${killed.length} killed leaders`, gapOf(killed)),
  ]);
} finally {
  for (const session of sessions) session.destroy();
  for (const writer of writers) await writer.stop();
  for (const { server } of members) await server.stop();
  rmSync(home, { recursive: true, force: true });
}
