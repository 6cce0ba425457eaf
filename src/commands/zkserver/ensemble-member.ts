/** One server of an ensemble on this machine, as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askWord } from '../../client/base/four-letter.js';
import { parseServer } from '../../fourlw/srvr.js';
import type { ShownMember } from './ensemble-screen.js';

export interface MemberSpec {
  readonly sid: number;
  readonly role: 'participant' | 'observer';
  readonly clientPort: number;
  readonly configFile: string;
  readonly folder: string;
}

type MemberStatus = Pick<ShownMember, 'state' | 'zxid' | 'connections'>;

const ASK_TIMEOUT_MS = 900;
const KILL_AFTER_MS = 10_000;
const UNKNOWN = '-';

export class EnsembleMember {
  readonly spec: MemberSpec;
  readonly logFile: string;
  readonly ended: Promise<void>;
  status: MemberStatus = { state: 'starting', zxid: UNKNOWN, connections: UNKNOWN };
  private readonly child: ChildProcess;
  private ending: string | null = null;
  private isStopAsked = false;
  private hasServed = false;

  /** @param properties of `-D` */
  constructor(spec: MemberSpec, properties: Readonly<Record<string, string>>) {
    this.spec = spec;
    this.logFile = join(spec.folder, 'zkserver.out');
    const log = openSync(this.logFile, 'a', 0o640);
    // A separate process group: Ctrl-C reaches only this process, which stops the servers in order.
    const flags = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
    const command = [process.argv[1] ?? '', 'start-foreground', spec.configFile, ...flags];
    this.child = spawn(process.execPath, [...process.execArgv, ...command], {
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.ended = new Promise((resolve) => {
      this.child.once('error', (error) => this.end(error.message, resolve));
      this.child.once('exit', (code, signal) => {
        this.end(signal === null ? `exit status ${code}` : `by ${signal}`, resolve);
      });
    });
  }

  get shown(): ShownMember {
    const { sid, clientPort } = this.spec;
    const { pid = 0 } = this.child;
    return { sid, clientPort, pid, isRunning: this.isRunning, ...this.status };
  }

  get isServing(): boolean {
    return (
      this.ending === null && /^(leader|follower|observer|standalone)$/.test(this.status.state)
    );
  }

  /** The reason of an unexpected end; null otherwise. */
  get endReason(): string | null {
    return this.isStopAsked ? null : this.ending;
  }

  get isRunning(): boolean {
    return this.ending === null;
  }

  /** Usually the reason of its end. */
  get lastLogLine(): string {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  }

  /** Updates the status from srvr. */
  async poll(): Promise<void> {
    const address = { host: '127.0.0.1', port: this.spec.clientPort };
    const answer = await askWord(address, 'srvr', { timeoutMs: ASK_TIMEOUT_MS }).catch(() => null);
    if (this.ending !== null) return;
    const { mode, zxid, connections } = parseServer(answer?.toString() ?? '');
    if (mode === undefined) {
      const state = this.hasServed || answer !== null ? 'no leader' : 'starting';
      this.status = { state, zxid: UNKNOWN, connections: UNKNOWN };
      return;
    }
    this.hasServed = true;
    this.status = {
      state: mode,
      zxid: zxid === undefined ? UNKNOWN : `0x${zxid.toString(16)}`,
      connections: `${connections ?? UNKNOWN}`,
    };
  }

  /** Sends SIGKILL after a timeout. */
  async stop(): Promise<void> {
    this.isStopAsked = true;
    if (this.ending !== null) return;
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), KILL_AFTER_MS);
    await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    this.isStopAsked = true;
    this.child.kill('SIGKILL');
  }

  private end(how: string, resolve: () => void): void {
    this.ending = how;
    this.status = { state: `ended (${how})`, zxid: UNKNOWN, connections: UNKNOWN };
    resolve();
  }
}
