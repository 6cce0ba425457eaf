/** The process id of `start`, for `stop`. Name and format are those of Apache's scripts. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PID_FILE = 'zookeeper_server.pid';

export class PidFile {
  readonly path: string;

  /** ZOOPIDFILE overrides the path, as in Apache's scripts. */
  constructor(dataDir: string, env: Readonly<Record<string, string | undefined>>) {
    this.path = env['ZOOPIDFILE'] || join(dataDir, PID_FILE);
  }

  write(pid: number): void {
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(this.path, String(pid));
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }

  /** Undefined unless the process is a running zkserver. */
  runningPid(): number | undefined {
    const pid = Number(this.read().trim());
    return Number.isSafeInteger(pid) && pid > 1 && isServer(pid) ? pid : undefined;
  }

  private read(): string {
    try {
      return readFileSync(this.path, 'utf8');
    } catch {
      return '';
    }
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  // A zombie process still accepts signals.
  return !/^\d+ \(.*\) [ZX]/s.test(readProc(pid, 'stat') ?? '');
}

/** Null without /proc. */
function readProc(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return null;
  }
}

/** The kernel reuses process ids: after a crash, the file must not stop another process. */
function isServer(pid: number): boolean {
  // Without /proc, only the process id can tell.
  return isAlive(pid) && (readProc(pid, 'cmdline')?.includes('zkserver') ?? true);
}
