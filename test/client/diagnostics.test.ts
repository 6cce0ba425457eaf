import { channel, tracingChannel } from 'node:diagnostics_channel';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient, decodedTrace, type WireEvent } from '../../src/client/index.js';
import { startBundled } from '../support/bundled.js';

test('diagnostics_channel tells of connections, states, and requests with their outcome', async () => {
  const server = await startBundled();
  const { connectString } = server;
  const told: string[] = [];
  const note = (kind: string, show: (message: never) => unknown) => (message: unknown) =>
    told.push(`${kind} ${show(message as never)}`);
  const onConnect = note('connect', ({ server: to }: { server: string }) => to);
  const onState = note('session', ({ state }: { state: string }) => state);
  type Traced = { op: string; path: string; error?: { code: string } };
  const tracing = {
    start: note('start', ({ op, path }: Traced) => `${op} ${path}`),
    end: () => undefined,
    asyncStart: () => undefined,
    asyncEnd: note('end', ({ op, error }: Traced) => `${op} ${error?.code ?? 'OK'}`),
    error: () => undefined,
  };
  channel('zksh:connect').subscribe(onConnect);
  channel('zksh:session').subscribe(onState);
  tracingChannel('zksh:request').subscribe(tracing);
  const client = createClient({ connectString });
  try {
    await client.connect();
    await client.create('/a');
    await client.getData('/none').catch(() => undefined);
  } finally {
    channel('zksh:connect').unsubscribe(onConnect);
    channel('zksh:session').unsubscribe(onState);
    tracingChannel('zksh:request').unsubscribe(tracing);
    await client.close();
    await server.close();
  }
  assert.equal(told, [
    `connect ${connectString}`,
    'session connected',
    'start create2 /a',
    'end create2 OK',
    'start getData /none',
    'end getData NONODE',
  ]);
});

test('decodedTrace tells of requests and answers, and of no data', async () => {
  const server = await startBundled();
  const events: WireEvent[] = [];
  const trace = decodedTrace((event) => events.push(event));
  const client = createClient({ connectString: server.connectString, trace });
  try {
    await client.create('/a', 'a secret');
    await client.getData('/a');
  } finally {
    await client.close();
    await server.close();
  }
  const shown = events.flatMap((each) =>
    'op' in each && each.path === '/a' ? [`${each.kind} ${each.op}`] : [],
  );
  assert.equal(shown, ['request create2', 'answer create2', 'request getData', 'answer getData']);
  assert.not.match(JSON.stringify(events), 'secret');
});

test.run();
