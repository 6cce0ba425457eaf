import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN } from '../server/node/admin/admin-world.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { schemaFaults } from '../support/pages/json-schema.js';
import { waitFor } from '../support/wait-for.js';
import { startConsole, type World, withConsole } from './console-world.js';
import { openApiOf, schemaOf } from './open-api.js';

const PATH = '/members/{server}/slow-requests';

interface SlowWorld extends World {
  readonly slow: () => ReturnType<World['api']['ask']>;
}

/** Requests are slow after 1 ms. The console asks the AdminServer on `adminPort`. */
async function withSlow(
  adminPort: number,
  config: Readonly<Record<string, string>>,
  work: (world: SlowWorld) => Promise<void>,
): Promise<void> {
  const folder = makeTempDir('console');
  const port = await freePort();
  const hosts = `${folder.path}/hosts.txt`;
  writeFileSync(hosts, `127.0.0.1:${port} admin=${adminPort}\n`);
  try {
    await withConsole(
      ['--ensemble', hosts],
      (world) =>
        work({ ...world, slow: () => world.api.ask(PATH.replace('{server}', world.server)) }),
      { port, dataDir: `${folder.path}/data`, config: { slowRequestThresholdMs: '1', ...config } },
    );
  } finally {
    folder.remove();
  }
}

test('the slow requests of a member come from its AdminServer', async () => {
  const admin = await freePort();
  const config = { ...ADMIN, 'admin.serverPort': `${admin}` };
  await withSlow(admin, config, async ({ api, client, slow }) => {
    await client.create('/slow', Buffer.alloc(0));
    const rows = await waitFor('a write that took 1 ms', async () => {
      await client.setData('/slow', Buffer.alloc(500_000));
      const { table } = (await slow()).body as { table?: { rows: (string | null)[][] } };
      const found = table?.rows.filter(([, operation]) => operation === 'SETD');
      return found !== undefined && found.length > 0 ? found : undefined;
    });
    const [[time, , path, session, ms] = []] = rows;
    assert.ok(Math.abs(Date.now() - Date.parse(time ?? '')) < 3_600_000);
    assert.equal([path, session], ['/slow', `0x${client.sessionId.toString(16)}`]);
    assert.ok(Number(ms) >= 1);
    const operation = (await openApiOf(api)).paths[PATH]?.['get'];
    if (operation === undefined) throw new Error(`${PATH} has no GET`);
    const schema = schemaOf(await openApiOf(api), operation, 200, 'application/json');
    assert.equal(schemaFaults(schema, (await slow()).body), []);
  });
});

test('a server without the list, and an answer of another form, are a problem', async () => {
  const answers = [
    '{"command":"slow_requests","error":"Unknown command: slow_requests"}',
    '{"slow_requests":7,"error":null}',
    '{"slow_requests":[null,{"ms":{}}],"error":null}',
    'no JSON',
  ];
  const admin = createServer((_, response) => response.end(answers[0]));
  await new Promise<void>((resolve) => admin.listen(0, '127.0.0.1', resolve));
  const address = admin.address();
  if (address === null || typeof address === 'string') throw new Error('no port was bound');
  try {
    await withSlow(address.port, {}, async ({ server, slow }) => {
      const unknown = await slow();
      assert.is(unknown.status, 502);
      assert.match(String(unknown.body['detail']), 'Unknown command: slow_requests');
      assert.match(String(unknown.body['hint']), 'latencies of cons');
      answers.shift();
      assert.is((await slow()).status, 502);
      answers.shift();
      const { body } = await slow();
      const none = Array(5).fill(null);
      assert.equal((body['table'] as { rows: unknown }).rows, [none, none]);
      answers.shift();
      assert.is((await slow()).status, 502);
      const other = await startConsole(server);
      try {
        const { status, body: problem } = await other.ask(PATH.replace('{server}', server));
        assert.equal([status, problem['hint']?.toString().includes('admin=PORT')], [404, true]);
      } finally {
        await other.stop();
      }
    });
  } finally {
    await new Promise((resolve) => admin.close(resolve));
  }
});

test.run();
