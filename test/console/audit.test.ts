import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { put, withConsole } from './console-world.js';
import { openApiOf } from './open-api.js';

test('the audit log has the path, the size, and the hash of each change', async () => {
  const folder = makeTempDir('console');
  const log = `${folder.path}/audit.jsonl`;
  try {
    await withConsole(['--allow-writes', '--audit-log', log], async ({ api, client }) => {
      await client.create('/app', 'x');
      const dump = await (await fetch(`${api.url}api/v1/export?path=/app`)).text();
      const post = { method: 'POST', body: dump };
      assert.is((await api.ask('/import', post)).status, 409, 'it exists');
      assert.is((await api.ask('/import?existing=overwrite', post)).status, 200);
      assert.is((await api.ask('/znode?path=/app', put('value', '*'))).status, 200);
      const { changes } = (await api.ask('/changes')).body;
      const id = Array.isArray(changes) ? changes[0]?.id : undefined;
      assert.is((await api.ask(`/changes/${id}/undo`, { method: 'POST' })).status, 200);
      assert.is((await api.ask('/changes/99/undo', { method: 'POST' })).status, 404);
    });
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    const entries = lines.map((line) => JSON.parse(line));
    assert.equal(
      entries.map(({ route, path, title, code }) => [route, path ?? title ?? null, code]),
      [
        ['/import', '/app', 'NODEEXISTS'],
        ['/import', '/app', 'OK'],
        ['/znode', '/app', 'OK'],
        ['/changes/{id}/undo', 'set /app', 'OK'],
        ['/changes/{id}/undo', null, 'UNKNOWN'],
      ],
    );
    const [, , set] = entries;
    const sha256 = createHash('sha256').update('value').digest('hex');
    assert.equal([set.bytes, set.sha256], [5, sha256]);
  } finally {
    folder.remove();
  }
});

test('the OpenAPI document names the types of streams, and the logins of this console', async () => {
  const folder = makeTempDir('console');
  const token = `${folder.path}/token`;
  writeFileSync(token, '0123456789abcdef0\n', { mode: 0o600 });
  const bearer = { headers: { authorization: 'Bearer 0123456789abcdef0' } };
  const proxy = ['--proxy-header', 'X-User', '--proxy-from', '10.9.9.9'];
  try {
    await withConsole(['--token-file', token, ...proxy], async ({ api }) => {
      const { body } = await api.ask('/openapi.json', bearer);
      const { components, security } = JSON.parse(JSON.stringify(body));
      assert.equal(components.securitySchemes, {
        bearer: { type: 'http', scheme: 'bearer' },
        proxy: { type: 'apiKey', in: 'header', name: 'X-User' },
      });
      assert.equal(security, [{ bearer: [] }, { proxy: [] }]);
    });
    await withConsole([], async ({ api }) => {
      const { paths } = await openApiOf(api);
      const typesOf = (path: string, method = 'get') =>
        Object.keys(paths[path]?.[method]?.responses['200']?.content ?? {});
      assert.equal(typesOf('/events'), ['text/event-stream']);
      assert.equal(typesOf('/export'), ['application/octet-stream']);
      assert.equal(typesOf('/members/{server}/snapshot', 'post'), ['application/octet-stream']);
      assert.equal(typesOf('/openapi.json'), ['application/json']);
      const undescribed = Object.entries(paths).filter(([path]) => typesOf(path).length === 0);
      assert.equal(
        undescribed.filter(([, methods]) => 'get' in methods),
        [],
      );
      const response = await fetch(`${api.url}api/v1/export?path=/`);
      assert.is(response.headers.get('content-type'), 'application/octet-stream');
    });
  } finally {
    folder.remove();
  }
});

test.run();
