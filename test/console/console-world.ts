import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../support/wait-for.js';
import { watchProcess } from '../support/watched-process.js';

const ZKOPS = fileURLToPath(new URL('../../bin/zkops.cjs', import.meta.url));

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface RunningConsole {
  /** With the slash at the end. */
  readonly url: string;
  output(): string;
  /** Asks the API: `/znode?path=/a`. */
  ask(path: string, init?: RequestInit): Promise<Answer>;
  stop(): Promise<number | null>;
}

/** Runs zkops with a verb that ends by itself. */
export async function runConsole(args: readonly string[], input = '') {
  const running = watchProcess(spawn(process.execPath, [ZKOPS, 'console', ...args]));
  running.process.stdin?.end(input);
  const exitCode = await running.ended;
  return { exitCode, output: running.output() };
}

/** The bundle as a process, on a free port of the loopback interface unless `args` say another. */
export async function startConsole(
  servers: string,
  args: readonly string[] = [],
): Promise<RunningConsole> {
  const listen = args.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
  const all = [ZKOPS, 'console', '--servers', servers, ...listen, ...args];
  const running = watchProcess(spawn(process.execPath, all));
  const [url] = await waitFor('the console to listen', () => {
    if (running.process.exitCode !== null) throw new Error(running.output());
    return /https?:\/\/\S+\//.exec(running.output());
  });
  return {
    url,
    output: running.output,
    ask: async (path, init) => {
      const response = await fetch(`${url}api/v1${path}`, init);
      const body: Answer['body'] = JSON.parse(await response.text());
      return { status: response.status, headers: response.headers, body };
    },
    stop: () => running.stop(),
  };
}

export const put = (body: string, version: number | string): RequestInit => ({
  method: 'PUT',
  body,
  headers: { 'if-match': typeof version === 'number' ? `"${version}"` : version },
});

export function pathOf(path: string): string {
  return `path=${encodeURIComponent(path)}`;
}
