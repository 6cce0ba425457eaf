import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../../bin/zksh.cjs', import.meta.url));

export interface ZkshRun {
  readonly stdout: string;
  /** The same, as bytes. */
  readonly bytes: Buffer;
  readonly stderr: string;
  /** Null if a signal ended it. */
  readonly code: number | null;
}

export interface ZkshProcess {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Sends the rest of standard input, and waits for the end. */
  end(input?: string | Buffer): Promise<ZkshRun>;
}

/** Starts the built zksh as a separate process. Standard input stays open. */
export function startZksh(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ZkshProcess {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // It may end without reading all of its input.
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close');
  return {
    child,
    stdout: () => Buffer.concat(stdout).toString(),
    stderr: () => Buffer.concat(stderr).toString(),
    end: async (input = '') => {
      child.stdin.end(input);
      const [code] = (await ended) as [number | null];
      const bytes = Buffer.concat(stdout);
      return { stdout: bytes.toString(), bytes, stderr: Buffer.concat(stderr).toString(), code };
    },
  };
}

/** Runs zksh to its end. */
export function runZksh(
  args: readonly string[],
  input: string | Buffer = '',
  env: Readonly<Record<string, string>> = {},
): Promise<ZkshRun> {
  return startZksh(args, env).end(input);
}
