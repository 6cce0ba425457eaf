import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CreateModes } from '../../src/protocol/create-mode.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { schemaFaults } from '../support/pages/json-schema.js';
import { readProjectFile } from '../support/tidy/source-file.js';
import { pathOf, put, withConsole } from './console-world.js';
import { type Operation, openApiOf, schemaOf } from './open-api.js';

test('every answer is as its OpenAPI document says', () =>
  withConsole([], async ({ api, client, server }) => {
    await client.create('/job', 'x');
    const owner = client.sessionId;
    await client.create('/job/e', 'y', { mode: CreateModes.EPHEMERAL });
    const document = await openApiOf(api);
    const getOf = (path: string): Operation => {
      const operation = document.paths[path]?.['get'];
      if (operation === undefined) throw new Error(`${path} has no GET`);
      return operation;
    };
    const asked: Readonly<Record<string, string>> = {
      '': '',
      '/live': '/live',
      '/ready': '/ready',
      '/ensemble': '/ensemble',
      '/members': '/members',
      '/health': '/health',
      '/trend': '/trend?minutes=5',
      '/differences': '/differences',
      '/members/{server}/words/{word}': `/members/${server}/words/conf`,
      '/sessions/{id}': `/sessions/0x${owner.toString(16)}`,
      '/znode': '/znode?path=/job',
      '/subtree': '/subtree?path=/',
      '/children': '/children?path=/job',
      '/history': '/history?path=/',
      '/search': '/search?path=/&name=e',
      '/changes': '/changes',
    };
    const shown = Object.entries(document.paths).flatMap(([path, methods]) =>
      'get' in methods ? [path] : [],
    );
    // This document, streams, the AdminServer, and the undo of a change that nobody made.
    assert.equal(
      shown.filter((path) => asked[path] === undefined),
      ['/openapi.json', '/members/{server}/slow-requests', '/events', '/export', '/changes/{id}'],
    );
    for (const [path, url] of Object.entries(asked)) {
      const { status, body } = await api.ask(url);
      assert.is(status, 200, url);
      assert.equal(
        schemaFaults(schemaOf(document, getOf(path), 200, 'application/json'), body),
        [],
        url,
      );
    }
    const { series } = (await api.ask('/trend')).body;
    const figures = Array.isArray(series) ? series : [];
    for (const figure of ['dataBytes', 'diskBytes', 'memoryBytes']) {
      const values = figures.find((one) => one.figure === figure)?.values;
      assert.type(values?.at(-1), 'number', figure);
    }
    const problem = await api.ask('/znode?path=/none');
    const schema = schemaOf(document, getOf('/znode'), 404, 'application/problem+json');
    assert.equal(schemaFaults(schema, problem.body), []);
    assert.is(problem.headers.get('content-type'), 'application/problem+json');
    assert.equal([problem.body['exitStatus'], problem.body['exitCode']], ['noNode', 4]);
    const health = await api.ask('/health');
    const zkops = JSON.parse(readProjectFile('docs/zkops-1.schema.json'));
    assert.equal(schemaFaults(zkops, health.body), []);
    const { stat } = (await api.ask('/znode?path=/')).body;
    const { created, modified } = Object(stat);
    assert.equal([created, modified], [null, null], 'the root has no times');
    const session = await api.ask(asked['/sessions/{id}'] ?? '');
    assert.match(String(session.body['client']), /127\.0\.0\.1:\d+/);
  }));

for (const args of [[], ['--allow-writes', '--read-only']]) {
  test(`a console changes nothing with ${args.join(' and ') || 'no option'}`, () =>
    withConsole(args, async ({ api, client }) => {
      await client.create('/a', 'old');
      for (const init of [put('new', 0), { method: 'POST' }, { method: 'DELETE' }]) {
        const { status, body } = await api.ask('/znode?path=/a', init);
        assert.equal([status, body['code']], [403, 'READONLY']);
      }
      assert.is(String((await client.getData('/a')).data), 'old');
    }));
}

test('changes compare versions and counts, and each is logged', async () => {
  const folder = makeTempDir('console');
  const log = `${folder.path}/audit.jsonl`;
  try {
    await withConsole(['--allow-writes', '--audit-log', log], async ({ api, client }) => {
      const created = await api.ask('/znode?path=/a', { method: 'POST', body: 'one' });
      assert.is(created.status, 201);
      const read = await api.ask('/znode?path=/a');
      assert.is(read.headers.get('etag'), '"0"');
      assert.is(Buffer.from(String(read.body['data']), 'base64').toString(), 'one');
      assert.is((await api.ask('/znode?path=/a', put('two', 0))).status, 200);
      const stale = await api.ask('/znode?path=/a', put('three', 0));
      assert.equal([stale.status, stale.body['exitStatus']], [412, 'badVersion']);
      assert.is((await api.ask('/znode?path=/a', { method: 'PUT', body: 'x' })).status, 428);
      assert.is(String((await client.getData('/a')).data), 'two');
      const large = await api.ask('/znode?path=/a', put('x'.repeat(1_000_001), '*'));
      assert.is(large.status, 413);
      const largest = await api.ask('/znode?path=/a', put('x'.repeat(1_000_000), 1));
      assert.is(largest.status, 200, String(largest.body['detail']));
      assert.is((await api.ask('/znode?path=/a', put('two', 2))).status, 200);
      const system = await api.ask('/znode?path=/zookeeper/quota', put('x', '*'));
      assert.equal([system.status, system.body['code']], [403, 'PROTECTED']);

      for (const name of ['b', 'b/c', 'b/d']) await client.create(`/a/${name}`);
      const { body: counted } = await api.ask('/subtree?path=/a');
      assert.equal([counted['count'], counted['isWhole']], [4, true]);
      await client.create('/a/late');
      const any = { method: 'DELETE', headers: { 'if-match': '*' } };
      const refused = await api.ask('/znode?path=/a&count=4', any);
      assert.equal([refused.status, refused.body['code']], [409, 'COUNTCHANGED']);
      assert.is((await api.ask('/znode?path=/a', any)).body['exitStatus'], 'notEmpty');
      assert.is((await api.ask('/znode?path=/a&count=5', any)).status, 200);
      assert.is(await client.exists('/a'), null);
      assert.is((await api.ask('/znode?path=/&count=1', any)).status, 400);
    });
    const entries = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const codes = entries.map(({ method, path, code }) => `${method} ${path} ${code}`);
    assert.equal(codes.slice(0, 3), ['POST /a OK', 'PUT /a OK', 'PUT /a BADVERSION']);
    assert.is(codes.at(-2), 'DELETE /a OK');
  } finally {
    folder.remove();
  }
});

test('children come in pages, and a search in parts', () =>
  withConsole([], async ({ api, client }) => {
    await client.create('/many');
    const names = Array.from({ length: 3000 }, (_, at) => `n${String(at).padStart(4, '0')}`);
    for (let at = 0; at < names.length; at += 500) {
      const batch = names.slice(at, at + 500);
      await client.multi(batch.map((name) => ({ op: 'create', path: `/many/${name}` })));
    }
    const namesOf = (body: Readonly<Record<string, unknown>>, field: string, key: string) => {
      const items = body[field];
      return Array.isArray(items) ? items.map((item) => String(item[key])) : [];
    };
    const { body: page } = await api.ask('/children?path=/many&offset=200&limit=50');
    assert.equal(namesOf(page, 'children', 'name'), names.slice(200, 250));
    assert.is(page['total'], 3000);
    const { body: found } = await api.ask('/children?path=/many&find=n2345&limit=100');
    assert.equal([found['index'], found['offset']], [2345, 2300]);
    await client.delete('/many/n0000');
    const { body: again } = await api.ask('/children?path=/many&find=n2345');
    assert.equal([again['index'], again['total']], [2344, 2999]);

    const matches: string[] = [];
    let after = '';
    for (let parts = 0; parts < 50; parts++) {
      const rest = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
      const { body } = await api.ask(`/search?path=/&name=n*99${rest}`);
      assert.ok(Number(body['visited']) <= 2000);
      matches.push(...namesOf(body, 'matches', 'path'));
      if (body['next'] === null) break;
      after = String(body['next']);
    }
    assert.equal(
      matches,
      names.filter((name) => name.endsWith('99')).map((name) => `/many/${name}`),
    );
    await client.create('/many/n1000/x', 'needle in hay');
    const { body: byValue } = await api.ask('/search?path=/many/n1000&value=needle&changed=3600');
    assert.equal(namesOf(byValue, 'matches', 'path'), ['/many/n1000/x']);
  }));

test('events of a subtree stream, and are recorded', () =>
  withConsole(['--record', '/config'], async ({ api, client }) => {
    await client.create('/config');
    await client.create('/other');
    const stop = new AbortController();
    const { body } = await fetch(`${api.url}api/v1/events?${pathOf('/config')}`, {
      signal: stop.signal,
    });
    if (body === null) throw new Error('no stream');
    let text = '';
    const read = async (wanted: string) => {
      for await (const chunk of body.values({ preventCancel: true })) {
        text += Buffer.from(chunk).toString();
        if (text.includes(wanted)) return;
      }
    };
    try {
      await read('event: open');
      await client.create('/other/x');
      await client.create('/config/db', '1');
      await client.setData('/config/db', '2');
      await read('NodeDataChanged');
    } finally {
      stop.abort();
    }
    assert.match(text, '"path":"/config/db"');
    assert.not.match(text, '/other');
    const { body: history } = await api.ask('/history?path=/config/db');
    const events = history['events'];
    assert.equal(Array.isArray(events) && events.map(({ type }) => type), [
      'NodeDataChanged',
      'NodeCreated',
    ]);
  }));

test.run();
