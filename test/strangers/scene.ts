import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SessionClient } from '../../src/client/base/client.js';
import { askWord } from '../../src/client/base/four-letter.js';
import { createClient } from '../../src/client/index.js';
import {
  type Member,
  makeSeats,
  memberIn,
  type Seat,
  type Seats,
} from '../support/apache/oracle-ensemble.js';
import { freePort } from '../support/machine/free-port.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { waitFor } from '../support/wait-for.js';
import { Stranger } from './wire.js';

export const OWN_SERVER = fileURLToPath(new URL('../../bin/zkserver.cjs', import.meta.url));
const SESSION_TIMEOUT_MS = 10_000;
const START_TIMEOUT_MS = 60_000;

/** Three members, each a process, and the strangers at their ports. */
export class Scene {
  readonly seats: Seats;
  readonly adminPorts = new Map<number, number>();
  /** Data of attacks between `run` and `damage`. */
  readonly kept = new Map<string, SessionClient>();
  private readonly start: (sid: number) => Member;
  private readonly members = new Map<number, Member>();
  /** Read by all strangers so far. */
  answeredBytes = 0;
  private strangers: Stranger[] = [];

  private constructor(seats: Seats, start: (sid: number) => Member) {
    this.seats = seats;
    this.start = start;
  }

  /** @param server the path of a bundled zkserver, or "apache" */
  static async open(server: string): Promise<Scene> {
    const seats = await makeSeats({
      participants: 3,
      config: { 'admin.enableServer': true, initLimit: 10, syncLimit: 4, tickTime: 500 },
    });
    const start = (sid: number): Member =>
      server === 'apache' ? seats.startApache(sid) : startServer(server, seats.of(sid));
    const scene = new Scene(seats, start);
    try {
      for (const { sid, configFile } of seats.all) {
        const port = await freePort();
        scene.adminPorts.set(sid, port);
        const lines = `admin.serverPort=${port}\nadmin.serverAddress=127.0.0.1\n`;
        appendFileSync(configFile, `${lines}`);
        scene.startMember(sid);
      }
      if (!(await scene.allServe(START_TIMEOUT_MS))) {
        throw new Error(`the ensemble does not serve:\n${scene.logs()}`);
      }
      return scene;
    } catch (error) {
      await scene.close();
      throw error;
    }
  }

  get sids(): readonly number[] {
    return this.seats.all.map(({ sid }) => sid);
  }

  get connectString(): string {
    return this.seats.all.map(({ connectString }) => connectString).join();
  }

  startMember(sid: number): void {
    this.members.set(sid, this.start(sid));
  }

  async kill(sid: number): Promise<void> {
    await this.members.get(sid)?.stop('SIGKILL');
  }

  /** A restart, as by an operator. */
  async restart(...sids: readonly number[]): Promise<void> {
    await Promise.all(sids.map((sid) => this.members.get(sid)?.stop('SIGTERM')));
    for (const sid of sids) this.startMember(sid);
  }

  /** SIGTERM, then SIGKILL after that time. Resolves to true if SIGTERM was enough. */
  async stop(sid: number, ms: number): Promise<boolean> {
    const member = this.members.get(sid);
    const ended = member?.stop('SIGTERM').then(() => true);
    if (await Promise.race([ended, delay(ms, false, { ref: false })])) return true;
    await member?.stop('SIGKILL');
    return false;
  }

  async modeOf(sid: number): Promise<string> {
    const { clientPort: port } = this.seats.of(sid);
    const answer = await askWord({ host: '127.0.0.1', port }, 'srvr').catch(() => '');
    return /^Mode: (.*)$/m.exec(`${answer}`)?.[1] ?? 'none';
  }

  async leader(): Promise<number> {
    return await waitFor('a leader', async () => {
      for (const sid of this.sids) if ((await this.modeOf(sid)) === 'leader') return sid;
      return undefined;
    });
  }

  async followers(): Promise<number[]> {
    const leader = await this.leader();
    return this.sids.filter((sid) => sid !== leader);
  }

  async roles(): Promise<string[]> {
    return await Promise.all(this.sids.map((sid) => this.modeOf(sid)));
  }

  /** True if one leader and two followers serve within that time. */
  async allServe(ms: number): Promise<boolean> {
    const isSo = async () =>
      (await this.roles()).sort().join() === ['follower', 'follower', 'leader'].join();
    return await waitFor('all to serve', isSo, ms).catch(() => false);
  }

  /** A session through the given member, or through any of them. */
  async client(sid?: number): Promise<SessionClient> {
    const connectString = sid === undefined ? this.connectString : this.seats.of(sid).connectString;
    const client = createClient({ connectString, sessionTimeoutMs: SESSION_TIMEOUT_MS });
    await client.connect();
    return client;
  }

  stranger(port: number, isReading = true): Stranger {
    const stranger = new Stranger(port, isReading);
    if (isReading) {
      stranger.socket.on('data', ({ length }) => {
        this.answeredBytes += length;
      });
    }
    this.strangers.push(stranger);
    if (this.strangers.length > MAX_STRANGERS) this.strangers.shift()?.close();
    return stranger;
  }

  /** Connected strangers leave, except for that many of them, spread over the attack. */
  dismiss(kept = 0): void {
    const connected = this.strangers.filter(({ isClosed }) => !isClosed);
    const step = Math.max(1, Math.ceil(connected.length / kept));
    this.strangers = kept === 0 ? [] : connected.filter((_, at) => at % step === 0);
    const staying = new Set(this.strangers);
    for (const stranger of connected) if (!staying.has(stranger)) stranger.close();
  }

  /** The member with the most connected strangers. */
  mostAttacked(): number {
    const crowd = ({ sid, clientPort, electionPort, quorumPort }: Seat): number => {
      const ports = [clientPort, electionPort, quorumPort, this.adminPorts.get(sid)];
      return this.strangers.filter(({ port, isClosed }) => !isClosed && ports.includes(port))
        .length;
    };
    const crowds = this.seats.all.map((seat) => ({ sid: seat.sid, count: crowd(seat) }));
    return crowds.reduce((most, next) => (next.count > most.count ? next : most)).sid;
  }

  /** Repeats the action for that time. */
  async repeat(ms: number, everyMs: number, action: () => void): Promise<void> {
    for (const endMs = Date.now() + ms; Date.now() < endMs; ) {
      action();
      await delay(everyMs);
    }
  }

  /** Open files and resident bytes of each member. */
  resources(): { readonly files: number; readonly bytes: number }[] {
    return this.sids.map((sid) => {
      try {
        const folder = `/proc/${this.members.get(sid)?.pid()}`;
        const [, pages = '0'] = readFileSync(`${folder}/statm`, 'utf8').split(' ');
        return { files: readdirSync(`${folder}/fd`).length, bytes: Number(pages) * 4096 };
      } catch {
        return { files: 0, bytes: 0 };
      }
    });
  }

  /** The established connections at the election ports, as pairs of ports. */
  electionLinks(): string[] {
    const ports = new Set(this.seats.all.map(({ electionPort }) => electionPort));
    return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
      readFileSync(table, 'latin1')
        .split('\n')
        .map((line) => line.trim().split(/[\s:]+/))
        // slot, local address and port, remote address and port, state
        .filter(([, , local = '', , , state]) => state === '01' && ports.has(parseInt(local, 16)))
        .map(([, , local, , remote]) => `${local}-${remote}`),
    );
  }

  logs(): string {
    const tail = (sid: number) => this.members.get(sid)?.output().slice(-2000) ?? '';
    return this.sids.map((sid) => `server ${sid}:\n${tail(sid)}`).join('\n');
  }

  async close(): Promise<void> {
    this.dismiss();
    await Promise.all(
      [...this.kept.values()].map((client) => client.close().catch(() => undefined)),
    );
    await Promise.all([...this.members.values()].map((member) => member.stop('SIGKILL')));
    await this.seats.close();
  }
}

const MAX_STRANGERS = 1500;

function startServer(bundle: string, seat: Seat): Member {
  const args = [bundle, 'start-foreground', seat.configFile];
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  return memberIn(seat, watchProcess(spawn(process.execPath, args, { stdio })));
}
