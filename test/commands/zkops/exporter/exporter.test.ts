// conformance: runs against Apache's server, too.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../../../src/client/base/four-letter.js';
import { serveMetrics } from '../../../../src/commands/zkops/exporter/serve.js';
import { oracleTest, startOracle } from '../../../support/apache/oracle.js';
import { startBundled } from '../../../support/bundled.js';
import { freePort } from '../../../support/machine/free-port.js';
import { promtoolComplaints, promtoolTest } from '../../../support/machine/promtool.js';
import { waitFor } from '../../../support/wait-for.js';
import { callTask } from '../call-task.js';
import { askFakes, ensemble, serversOf } from '../probes/fake-members.js';

const ZKOPS = fileURLToPath(new URL('../../../../bin/zkops.cjs', import.meta.url));

function once(servers: string, ...args: string[]) {
  return callTask(['exporter', '--once', '--servers', servers, ...args], { ask: askWord });
}

promtoolTest('Prometheus accepts the metrics of the bundled server', async () => {
  const server = await startBundled();
  try {
    const { out, exitCode } = await once(server.connectString);
    assert.is(exitCode, 0);
    assert.is(promtoolComplaints(out), '');
    assert.match(out, /^zk_serving\{server="127\.0\.0\.1:\d+"\} 1$/m);
  } finally {
    await server.close();
  }
});

oracleTest("an Apache server's metrics are exported too", async () => {
  const server = await startOracle();
  try {
    const { out } = await once(server.connectString);
    assert.match(out, /^zk_role\{server="127\.0\.0\.1:\d+",role="standalone"\} 1$/m);
    assert.match(out, /^zk_znodes\{/m);
  } finally {
    await server.close();
  }
});

test('a member that is down is exported as down, with the reason', async () => {
  const members = { ...ensemble(1), 3: 'dead' as const };
  const args = ['exporter', '--once', '--servers', serversOf(members)];
  const { out } = await callTask(args, { ask: askFakes(members) });
  assert.match(out, /^zk_up\{server="10\.0\.0\.1:3"\} 0$/m);
  assert.match(out, /^zkops_error\{server="10\.0\.0\.1:3",reason="refused"\} 1$/m);
  assert.match(out, /^zkops_verdict 1$/m);
});

test("mntr's own names require --old-names", async () => {
  const server = await startBundled();
  try {
    assert.not.match((await once(server.connectString)).out, /^zk_znode_count\{/m);
    const { out } = await once(server.connectString, '--old-names');
    assert.match(out, /^# TYPE zk_znode_count untyped\nzk_znode_count\{server="[^"]+"\} \d+$/m);
    assert.match(out, /^zk_znodes\{/m);
  } finally {
    await server.close();
  }
});

test('/metrics is served, and other requests get an error text', async () => {
  let asked = 0;
  const endpoint = await serveMetrics({ host: '127.0.0.1', port: 0 }, () => {
    asked++;
    return asked === 3 ? Promise.reject(new Error('no luck')) : Promise.resolve('zk_up 1\n');
  });
  try {
    const answer = await fetch(endpoint.url);
    assert.is(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    assert.is(await answer.text(), 'zk_up 1\n');
    const head = await fetch(endpoint.url, { method: 'HEAD' });
    assert.is(await head.text(), '');
    const failed = await fetch(endpoint.url);
    assert.is(failed.status, 500);
    assert.is(await failed.text(), 'no luck\n');
    const base = endpoint.url.replace('/metrics', '');
    for (const [path, method, status] of [
      ['/', 'GET', 200],
      ['/-/healthy', 'GET', 200],
      ['/other', 'GET', 404],
      ['/metrics', 'POST', 405],
    ] as const) {
      assert.is((await fetch(`${base}${path}`, { method })).status, status, `${method} ${path}`);
    }
    assert.is(asked, 3);
  } finally {
    await endpoint.close();
  }
});

test('a connection may have 16 requests at once', async () => {
  let asked = 0;
  const endpoint = await serveMetrics({ host: '127.0.0.1', port: 0 }, () => {
    asked++;
    return new Promise(() => undefined);
  });
  const { hostname: host, port } = new URL(endpoint.url);
  const socket = connect(Number(port), host);
  try {
    socket.on('error', () => undefined).resume();
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000));
    await waitFor('its end', () => socket.destroyed);
    assert.is(asked, 16);
  } finally {
    socket.destroy();
    await endpoint.close();
  }
});

test('the exporter serves until it is stopped, and scrapers share one poll', async () => {
  const server = await startBundled();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/metrics`;
  const args = ['--servers', server.connectString, '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, [ZKOPS, 'exporter', ...args, '--min-age', '3600000']);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  try {
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    await waitFor('the exporter to listen', () => out.includes(url));
    const texts = await Promise.all([1, 2, 3].map(async () => (await fetch(url)).text()));
    assert.match(texts[0] ?? '', /^zk_serving\{server="[^"]+"\} 1$/m);
    assert.is(new Set(texts).size, 1, 'one poll for all');
    child.kill('SIGTERM');
    assert.is(await ended, 0);
  } finally {
    child.kill('SIGKILL');
    await server.close();
  }
});

test('a taken or invalid address is a usage error', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const taken = await callTask(['exporter', '--listen', `127.0.0.1:${port}`]);
    assert.is(taken.exitCode, 64);
    assert.match(taken.error, /--listen 127\.0\.0\.1:\d+: cannot listen: .*EADDRINUSE/);
    const toFile = await callTask(['exporter', '--out', '/nowhere/file']);
    assert.is(toFile.exitCode, 64);
    assert.is(toFile.error, 'zkops: --out: needs --once\n');
    const none = await callTask(['exporter', '--listen', 'nonsense:port']);
    assert.is(none.exitCode, 64);
    assert.match(none.error, /--listen: server: invalid address/);
  } finally {
    other.close();
  }
});

test.run();
