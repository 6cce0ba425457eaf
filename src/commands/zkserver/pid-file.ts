/** The file that tells `stop` which process `start` started, named and written as Apache's. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PID_FILE = 'zookeeper_server.pid';

export class PidFile {
  readonly path: string;

  /** ZOOPIDFILE names another place, as for Apache's scripts. */
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

  /** The process of the file, while it runs and is a zkserver. */
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
  // One that ended and that its parent has not asked about yet still takes signals.
  return !/^\d+ \(.*\) [ZX]/s.test(readProc(pid, 'stat') ?? '');
}

/** Null where there is no /proc. */
function readProc(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return null;
  }
}

/** A pid is used again: a file left by a crash must not have a stranger ended. */
function isServer(pid: number): boolean {
  // Without /proc the pid is all there is to go by.
  return isAlive(pid) && (readProc(pid, 'cmdline')?.includes('zkserver') ?? true);
}
