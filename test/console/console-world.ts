import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SessionClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import type { StartServerOptions } from '../../src/server/main.js';
import { startBundled } from '../support/bundled.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { waitFor } from '../support/wait-for.js';

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
export async function runConsole(
  args: readonly string[],
  input = '',
  env: Readonly<Record<string, string>> = {},
) {
  const options = { env: { ...process.env, ...env } };
  const running = watchProcess(spawn(process.execPath, [ZKOPS, 'console', ...args], options));
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
  const members = args.includes('--ensemble') ? [] : ['--servers', servers];
  const all = [ZKOPS, 'console', ...members, ...listen, ...args];
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

export interface World {
  readonly api: RunningConsole;
  readonly client: SessionClient;
  readonly server: string;
}

/** A server, a console on it, and a client. The console must end with status 0. */
export async function withConsole(
  args: readonly string[],
  work: (world: World) => Promise<void>,
  options?: StartServerOptions,
): Promise<void> {
  const server = await startBundled(options);
  const client = createClient({ connectString: server.connectString });
  let api: RunningConsole | undefined;
  try {
    api = await startConsole(server.connectString, args);
    await client.connect();
    await work({ api, client, server: server.connectString });
    const status = await api.stop();
    if (status !== 0) throw new Error(`status ${status}: ${api.output()}`);
  } finally {
    await api?.stop();
    await client.close();
    await server.close();
  }
}

/** @param login `user:password` */
export const basic = (login: string) => ({
  headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
});

export const put = (body: string, version: number | string): RequestInit => ({
  method: 'PUT',
  body,
  headers: { 'if-match': typeof version === 'number' ? `"${version}"` : version },
});

export function pathOf(path: string): string {
  return `path=${encodeURIComponent(path)}`;
}
