/**
 * A copy of the checkout in which one compiled file can be changed. Files are links to the built
 * ones: a change replaces the link and never writes through it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

function linkTree(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isFile()) linkSync(source, target);
    else cpSync(source, target, { verbatimSymlinks: true });
  }
}

export class Sandbox {
  private readonly root: string;
  private readonly home: string;
  private running: ChildProcess | undefined;

  /** Beside `dist`, because links to files stay on one file system. */
  constructor(root: string) {
    this.root = root;
    this.home = mkdtempSync(join(root, 'dist', 'mutant-'));
    for (const name of readdirSync(root)) {
      if (name !== 'dist') symlinkSync(join(root, name), join(this.home, name));
    }
    const dist = join(this.home, 'dist');
    mkdirSync(dist);
    for (const name of ['src', 'test', 'bin']) {
      linkTree(join(root, 'dist', name), join(dist, name));
    }
  }

  /** Replaces a file, or restores it without `code`. */
  put(path: string, code?: string): void {
    const target = join(this.home, path);
    rmSync(target);
    if (code === undefined) linkSync(join(this.root, path), target);
    else writeFileSync(target, code);
  }

  /** Resolves to whether the program ends with 0 in time. */
  run(args: readonly string[], limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, args, {
        cwd: this.home,
        stdio: 'ignore',
        // Its own group: what a test started ends with it.
        detached: true,
      });
      this.running = child;
      const timer = setTimeout(() => this.stop(), limitMs);
      child.on('close', (status) => {
        clearTimeout(timer);
        this.stop();
        this.running = undefined;
        resolve(status === 0);
      });
    });
  }

  private stop(): void {
    const pid = this.running?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  }

  [Symbol.dispose](): void {
    this.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}
