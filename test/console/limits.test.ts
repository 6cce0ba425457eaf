import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packChunk, SNAPPY_HEADER } from '../../src/files/snappy.js';
import { startFake } from '../support/peers/fake-member.js';
import { waitFor } from '../support/wait-for.js';
import { startConsole, withConsole } from './console-world.js';

const LIMIT = 10_000;
const SOCKETS = 16;
const MAX_REQUESTS = 50_000;

const any = { method: 'DELETE', headers: { 'if-match': '*' } };

test('counts, exports, imports, and deletes of subtrees end at 10,000 znodes', () =>
  withConsole(['--allow-writes'], async ({ api, client }) => {
    await client.create('/big');
    const names = Array.from({ length: LIMIT }, (_, at) => `n${String(at).padStart(4, '0')}`);
    for (let at = 0; at < LIMIT; at += 1000) {
      const batch = names.slice(at, at + 1000);
      await client.multi(batch.map((name) => ({ op: 'create', path: `/big/${name}` })));
    }
    const { body } = await api.ask('/subtree?path=/big');
    assert.equal([body['count'], body['isWhole']], [LIMIT, false]);
    const exported = await api.ask('/export?path=/big');
    assert.equal([exported.status, exported.body['code']], [413, 'TOOLARGE']);
    const deleted = await api.ask(`/znode?path=/big&count=${LIMIT}`, any);
    assert.equal([deleted.status, deleted.body['code']], [409, 'COUNTCHANGED']);
    assert.match(String(deleted.body['detail']), 'more than 10000');
    await client.delete('/big/n0000');
    const whole = await api.ask('/subtree?path=/big');
    assert.equal([whole.body['count'], whole.body['isWhole']], [LIMIT, true]);

    const dumpOf = (count: number) =>
      [
        '{"zkshDump":1,"root":"/new","server":"x","time":"","hasAcls":false}',
        '{"path":"","data":"","mode":"persistent"}',
        ...names
          .slice(0, count - 1)
          .map((name) => `{"path":"/${name}","data":"","mode":"persistent"}`),
        '{"path":"/z","data":"","mode":"persistent"}',
        `{"end":true,"znodes":${count + 1},"ephemeralsLeftOut":0,"unread":0}\n`,
      ].join('\n');
    const large = await api.ask('/import', { method: 'POST', body: dumpOf(LIMIT) });
    assert.equal(
      [large.status, large.body['code']],
      [413, 'TOOLARGE'],
      String(large.body['detail']),
    );
    assert.is(await client.exists('/new'), null);
    const fits = await api.ask('/import?dryRun=true', { method: 'POST', body: dumpOf(LIMIT - 1) });
    assert.equal([fits.status, fits.body['znodes']], [200, LIMIT], String(fits.body['detail']));
    const long = Buffer.alloc(32 * 1024 * 1024 + 1, ' ');
    assert.is((await api.ask('/import', { method: 'POST', body: long })).status, 413);

    const done = await api.ask(`/znode?path=/big&count=${LIMIT}`, any);
    assert.equal([done.status, done.body['count']], [200, LIMIT]);
    assert.is(await client.exists('/big'), null);
  }));

test('four transfers run at once, and others are refused until one ends', () =>
  withConsole([], async ({ api, client }) => {
    await client.create('/big');
    // More than sockets buffer, so a reader that takes nothing keeps its transfer.
    for (let at = 0; at < 16; at++) await client.create(`/big/${at}`, Buffer.alloc(1_000_000));
    const held: IncomingMessage[] = [];
    const hold = () =>
      new Promise<void>((resolve, reject) => {
        const asked = request(`${api.url}api/v1/export?path=/big`, (response) => {
          held.push(response);
          resolve();
        });
        asked.once('error', reject).end();
      });
    const exportOne = () => fetch(`${api.url}api/v1/export?path=/big/0`);
    try {
      for (let at = 0; at < 4; at++) await hold();
      const refused = await exportOne();
      assert.equal([refused.status, Object(await refused.json()).code], [503, 'TOOMANY']);
      held[0]?.destroy();
      await waitFor('a free place', async () => (await exportOne()).status === 200);
    } finally {
      for (const response of held) response.destroy();
    }
  }));

test('a dump takes the place of a transfer before its first byte is read', () =>
  withConsole(['--allow-writes'], async ({ api }) => {
    const target = `${api.url}api/v1/import`;
    const uploads = Array.from({ length: 4 }, () => {
      const headers = { 'content-length': 1000, expect: '100-continue' };
      return request(target, { method: 'POST', headers }).on('error', () => undefined);
    });
    const importOne = () => fetch(target, { method: 'POST', body: 'no dump' });
    try {
      const begun = uploads.map((upload) => once(upload, 'continue'));
      for (const upload of uploads) upload.flushHeaders();
      await Promise.all(begun);
      const refused = await importOne();
      assert.equal([refused.status, Object(await refused.json()).code], [503, 'TOOMANY']);
      uploads[0]?.destroy();
      await waitFor('a free place', async () => (await importOne()).status === 400);
    } finally {
      for (const upload of uploads) upload.destroy();
    }
  }));

test('eight walks through subtrees run at once', () =>
  withConsole([], async ({ api }) => {
    const { hostname, port } = new URL(api.url);
    for (const query of ['subtree?path=/', 'search?path=/&name=a']) {
      await api.ask(`/${query}`);
      let answers = '';
      const socket = connect(Number(port), hostname);
      socket.on('data', (bytes) => {
        answers += bytes;
      });
      const head = `GET /api/v1/${query} HTTP/1.1\r\nHost: ${hostname}\r\n`;
      socket.write(`${`${head}\r\n`.repeat(8)}${head}Connection: close\r\n\r\n`);
      await once(socket, 'close');
      const statuses = [...answers.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status);
      assert.equal(statuses, [...Array.from({ length: 8 }, () => '200'), '503'], query);
      assert.is((await api.ask(`/${query}`)).status, 200);
    }
  }));

test('a compressed value is shown decompressed, but not what a bomb would be', () =>
  withConsole([], async ({ api, client }) => {
    const text = Buffer.from('{"pool": 20}'.repeat(20));
    const bomb = Buffer.alloc(9 * 1024 * 1024);
    const snappy = (data: Buffer) => Buffer.concat([SNAPPY_HEADER, packChunk(data)]);
    for (const [name, pack] of [
      ['gzip', gzipSync],
      ['zlib', deflateSync],
      ['snappy', snappy],
    ] as const) {
      await client.create(`/${name}`, pack(text));
      const raw = (await api.ask(`/znode?path=/${name}`)).body;
      assert.equal([raw['compression'], raw['data']], [name, pack(text).toString('base64')]);
      const { status, body } = await api.ask(`/znode?path=/${name}&decompress=true`);
      assert.equal([status, body['data']], [200, text.toString('base64')]);
      assert.is(Object(body['stat']).dataLength, pack(text).length);
      await client.setData(`/${name}`, pack(bomb));
      const refused = await api.ask(`/znode?path=/${name}&decompress=true`);
      assert.equal([refused.status, refused.body['code']], [422, 'NOTCOMPRESSED']);
    }
    await client.create('/plain', text);
    assert.is((await api.ask('/znode?path=/plain')).body['compression'], null);
    assert.is((await api.ask('/znode?path=/plain&decompress=true')).status, 422);
  }));

test('a member with many watches is not asked to list them', async () => {
  const asked: string[] = [];
  const member = await startFake((socket, word) => {
    asked.push(word);
    socket.end(word === 'wchs' ? '3 connections watching 9 paths\nTotal watches:100001\n' : '');
  });
  const server = `127.0.0.1:${member.port}`;
  const api = await startConsole(server);
  try {
    for (const word of ['wchc', 'wchp']) {
      const { status, body } = await api.ask(`/members/${server}/words/${word}`);
      assert.equal([status, body['code']], [502, 'NOANSWER']);
      assert.match(`${body['detail']}`, /100001 watches/);
      assert.not.ok(asked.includes(word), word);
    }
  } finally {
    await api.stop();
    await member.close();
  }
});

test('an address that asks too often is refused, until it asks less', () =>
  withConsole([], async ({ api }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
    const ask = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = request(`${api.url}api/v1/live`, { agent }, (response) => {
          response.resume().once('end', () => {
            const { statusCode, headers } = response;
            const isRight = statusCode === 200 || Number(headers['retry-after']) > 0;
            resolve(isRight ? statusCode : undefined);
          });
        });
        asked.once('error', reject).end();
      });
    const statuses = new Set<number | undefined>();
    let asked = 0;
    const askUntilRefused = async () => {
      while (!statuses.has(429) && asked++ < MAX_REQUESTS) statuses.add(await ask());
    };
    try {
      await Promise.all(Array.from({ length: SOCKETS }, askUntilRefused));
      assert.equal([...statuses].sort(), [200, 429]);
      await waitFor('the next answer', async () => (await ask()) === 200);
    } finally {
      agent.destroy();
    }
  }));

test.run();
