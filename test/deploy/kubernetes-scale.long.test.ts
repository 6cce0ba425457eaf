/** The member script of deploy/kubernetes, as processes, while the set scales from 3 to 5 to 3. */
import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/index.js';
import { freePort } from '../support/machine/free-port.js';
import { programPath } from '../support/machine/program-path.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { type WatchedProcess, watchProcess } from '../support/machine/watched-process.js';
import { waitFor } from '../support/wait-for.js';

const SET = '/apis/apps/v1/namespaces/test/statefulsets/zk';
const JOIN_MS = 40_000;

/** The API server, with one StatefulSet. */
async function startApi() {
  const state = { replicas: 3 };
  const server = createServer(({ url, headers }, response) => {
    const isAllowed = headers.authorization === 'Bearer token-of-the-pod';
    response.statusCode = !isAllowed ? 403 : url === SET ? 200 : 404;
    response.end(JSON.stringify({ metadata: {}, spec: state }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { state, url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

class StatefulSet {
  readonly clients: string;
  private readonly pods = new Map<number, WatchedProcess>();
  private readonly env: NodeJS.ProcessEnv;
  private readonly folder: string;

  constructor(folder: string, ports: readonly number[], api: string) {
    const [client, quorum, election] = ports;
    this.folder = folder;
    this.clients = [0, 1, 2].map((at) => `127.0.1.${at}:${client}`).join();
    writeFileSync(join(folder, 'token'), 'token-of-the-pod\n');
    const entrypoint = join(folder, 'zk-entrypoint');
    writeFileSync(entrypoint, '#!/bin/sh\nexec sh deploy/docker/entrypoint.sh "$@"\n');
    chmodSync(entrypoint, 0o755);
    this.env = {
      PATH: programPath(folder),
      SERVER_TEMPLATE: `127.0.1.{ordinal}:${quorum}:${election};127.0.1.{ordinal}:${client}`,
      CLIENTS: this.clients,
      SUPER_PASSWORD: 'secret',
      INITIAL_SIZE: '3',
      STATEFULSET: SET,
      KUBERNETES_API: api,
      TOKEN_FILE: join(folder, 'token'),
      ENTRYPOINT: entrypoint,
      RETRY_MS: '200',
      LEAVE_SECONDS: '100',
      ZOO_TICK_TIME: '500',
      ZOO_INIT_LIMIT: '20',
      ZOO_SYNC_LIMIT: '10',
      ZOO_ADMINSERVER_ENABLED: 'false',
    };
  }

  start(ordinal: number): void {
    this.pods.set(ordinal, this.run('start', ordinal));
  }

  /** The hook, then the signal, as Kubernetes does. Resolves to what the hook printed. */
  async stop(ordinal: number): Promise<string> {
    const hook = this.run('leave', ordinal);
    assert.is(await hook.ended, 0, hook.output());
    assert.is(await this.pods.get(ordinal)?.stop('SIGTERM'), 0);
    this.pods.delete(ordinal);
    return hook.output();
  }

  output(ordinal: number): string {
    return this.pods.get(ordinal)?.output() ?? '';
  }

  /** The last lines of every pod, to explain a failure. */
  outputs(): string {
    const last = (pod: WatchedProcess) => pod.output().split('\n').slice(-15).join('\n');
    return [...this.pods].map(([ordinal, pod]) => `pod ${ordinal}:\n${last(pod)}`).join('\n');
  }

  async close(): Promise<void> {
    await Promise.all([...this.pods.values()].map((pod) => pod.stop('SIGTERM')));
  }

  private run(task: string, ordinal: number): WatchedProcess {
    const data = join(this.folder, `${ordinal}`);
    const env = {
      ...this.env,
      POD_NAME: `zk-${ordinal}`,
      ZOO_CONF_DIR: join(data, 'conf'),
      ZOO_DATA_DIR: data,
      ZOO_DATA_LOG_DIR: join(data, 'log'),
    };
    const command = ['deploy/kubernetes/member.mjs', task];
    return watchProcess(
      spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }
}

test('pods make an ensemble, join it by themselves, and leave it when the set shrinks', async () => {
  const home = makeTempDir('scale');
  const api = await startApi();
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const set = new StatefulSet(home.path, ports, api.url);
  const client = createClient({ connectString: set.clients });
  const members = async (...sids: readonly number[]) => {
    await waitFor(
      `the members to be ${sids}`,
      async () => {
        const { data } = await client.getConfig().catch(() => ({ data: undefined }));
        const found = [...`${data ?? ''}`.matchAll(/^server\.(\d+)=/gm)].map(([, sid]) =>
          Number(sid),
        );
        return found.join() === sids.join();
      },
      JOIN_MS,
    );
  };
  try {
    for (const ordinal of [0, 1, 2]) set.start(ordinal);
    await waitFor(
      'a session',
      () =>
        client.connect().then(
          () => true,
          () => false,
        ),
      JOIN_MS,
    );
    await members(1, 2, 3);
    await client.create('/kept', Buffer.from('x'));

    api.state.replicas = 5;
    for (const ordinal of [3, 4]) set.start(ordinal);
    await members(1, 2, 3, 4, 5);

    // A restart keeps the vote, and the member comes back with it.
    assert.match(await set.stop(1), /server 2 stays a member \(5 replicas\)/);
    await members(1, 2, 3, 4, 5);
    set.start(1);
    await waitFor('the pod to be back', () => /server 2 is a member/.test(set.output(1)), JOIN_MS);

    api.state.replicas = 3;
    const left = await Promise.all([set.stop(3), set.stop(4)]);
    for (const [at, output] of left.entries()) assert.match(output, `server ${at + 4} has left`);
    await members(1, 2, 3);

    // Its volume has the old membership, which has no meaning any more.
    api.state.replicas = 4;
    set.start(3);
    await members(1, 2, 3, 4);
    assert.is(`${(await client.getData('/kept')).data}`, 'x');

    api.close();
    assert.match(await set.stop(3), /cannot ask for the size .*\n.*server 4 stays a member/);
  } catch (error) {
    throw new Error(set.outputs(), { cause: error });
  } finally {
    await client.close().catch(() => undefined);
    await set.close();
    api.close();
    home.remove();
  }
});

test.run();
