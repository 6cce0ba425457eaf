import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { schemaFaults } from '../support/pages/json-schema.js';
import { put, withConsole } from './console-world.js';
import { type Operation, openApiOf, schemaOf } from './open-api.js';

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** fetch would refuse some of these. */
function send(url: string, { method, headers, body }: Sent) {
  return new Promise<{ status: number; type: string; body: string }>((resolve, reject) => {
    const length = { 'content-length': body.length };
    const all = { method, headers: { ...headers, ...length }, agent: false };
    const sent = request(url, all, (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      const type = answered['content-type'] ?? '';
      text(response).then((whole) => resolve({ status, type, body: whole }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const HEAD = '{"zkshDump":1,"root":"/a","server":"x","time":"","hasAcls":true}\n';
const RECORD = '{"path":"/x","data":"v","mode":"persistent"}\n';
const END = '{"end":true,"znodes":1,"ephemeralsLeftOut":0,"unread":0}\n';
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom(
    'world:anyone:ra',
    'x509:a:b',
    `${HEAD}${RECORD}${END}`,
    `${HEAD}${RECORD}`,
    '---\n',
  ),
);
const values = fc.oneof(
  fc.constantFrom('/', '/a', '/a/b', '/none', '/zookeeper', '/zookeeper/quota', '/a/../b', 'a'),
  fc.constantFrom('0', '1', '-1', '99999999999999999999', 'true', '"0"', '*', 'json', 'srvr'),
  fc.string(),
  fc.string({ unit: 'binary' }),
);

interface Query {
  readonly given: readonly (string | null)[];
  readonly surplus: readonly [string, string] | null;
}

function targetOf(
  { path, operation: { parameters } }: { readonly path: string; readonly operation: Operation },
  { given, surplus }: Query,
  server: string,
) {
  const query = new URLSearchParams(surplus === null ? [] : [[...surplus]]);
  const headers: Record<string, string> = {};
  let target = path;
  for (const [at, { name, in: place }] of parameters.entries()) {
    const value = given[at] ?? undefined;
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value ?? server));
    else if (place === 'query' && value !== undefined) query.set(name, value);
    else if (value !== undefined) headers[name] = value.replace(/[^\x20-\x7e]/g, '');
  }
  return { target: `${target}?${query}`, headers };
}

test('any request has one of the documented answers, and no protected znode changes', () =>
  withConsole(['--allow-writes', '--protect', '/keep'], async ({ api, client, server }) => {
    await client.create('/keep', 'as it is');
    await client.create('/a', 'one');
    await api.ask('/znode?path=/a', put('two', 0));
    const document = await openApiOf(api);
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    // A stream of events would not end.
    const ending = operations.filter(({ path }) => path !== '/events');
    assert.ok(ending.length > 20, `${ending.length}`);
    const requests = fc.constantFrom(...ending).chain((one) =>
      fc.record({
        one: fc.constant(one),
        given: fc.tuple(...one.operation.parameters.map(() => fc.option(values))),
        surplus: fc.option(fc.tuple(fc.string(), values), { freq: 10 }),
        body: bodies,
      }),
    );
    const judge = async (operation: Operation, url: string, sent: Sent) => {
      const { status, type, body } = await send(url, sent);
      const what = `${sent.method} ${url}: ${status} ${body.slice(0, 300)}`;
      assert.ok(operation.responses[status] !== undefined, what);
      assert.ok(status < 400 || type === 'application/problem+json', what);
      const schema = schemaOf(document, operation, status, type);
      if (schema !== undefined) assert.equal(schemaFaults(schema, JSON.parse(body)), [], what);
    };
    await fc.assert(
      fc.asyncProperty(requests, ({ one, body, ...query }) => {
        const { target, headers } = targetOf(one, query, server);
        const sent = { method: one.method.toUpperCase(), headers, body: Buffer.from(body) };
        return judge(one.operation, `${api.url}api/v1${target}`, sent);
      }),
      { numRuns: 400, includeErrorInReport: true },
    );
    assert.is(String((await client.getData('/keep')).data), 'as it is');
    assert.is((await client.getACL('/zookeeper')).stat.aversion, 0);
    assert.is((await api.ask('/live')).status, 200);
  }));

test.run();
