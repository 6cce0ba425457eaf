import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectStore } from '../../../../src/commands/zkops/s3/object-store.js';
import { parseS3, s3SettingsOf } from '../../../../src/commands/zkops/s3/s3-place.js';
import {
  ACCESS_KEY,
  type S3Server,
  SECRET_KEY,
  startS3,
} from '../../../support/peers/s3-server.js';

const PLACE = parseS3('s3://bucket/a=b/c_d.e/');
const KEYS = { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY };

async function withStore(
  use: (store: ObjectStore, s3: S3Server) => Promise<void>,
  timeoutMs?: number,
): Promise<void> {
  const s3 = await startS3();
  try {
    const settings = s3SettingsOf(PLACE, { ...KEYS, AWS_ENDPOINT_URL: s3.url });
    await use(new ObjectStore(PLACE, settings, new AbortController().signal, timeoutMs), s3);
  } finally {
    await s3.close();
  }
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error) => [error.message, error.hint].join(' '),
  );
}

test('objects come, go, and are listed page by page', () =>
  withStore(async (store, s3) => {
    const names = Array.from({ length: 10 }, (_, at) => `log.${at}/0-x`);
    for (const name of names) assert.ok(await store.put(name, Buffer.from(name)));
    s3.objects.set('bucket/a=b/other', Buffer.from('not in the place'));
    assert.equal(await store.list(), names);
    const found = await store.get('log.1/0-x', 9);
    assert.is(typeof found === 'object' && found.bytes.toString(), 'log.1/0-x');
    assert.is(await store.get('log.1/0-x', 3), 'too long');
    await store.remove('log.1/0-x');
    await store.remove('log.1/0-x');
    assert.is(await store.get('log.1/0-x', 9), undefined);
  }));

test('a put may depend on the present object', () =>
  withStore(async (store) => {
    const [one, two] = [Buffer.from('one'), Buffer.from('two')];
    const etag = await store.put('key', one, { ifNoneMatch: '*' });
    assert.is(await store.put('key', two, { ifNoneMatch: '*' }), false);
    assert.is(await store.put('key', two, { ifMatch: '"x"' }), false);
    assert.is(await store.put('none', two, { ifMatch: '"x"' }), false);
    assert.ok(etag !== false && (await store.put('key', two, { ifMatch: etag })));
  }));

test('a store that does not answer in time is tried again', () =>
  withStore(async (store, s3) => {
    let tries = 0;
    s3.faultOf = () => (++tries === 1 ? 'silence' : undefined);
    assert.match(await messageOf(store.get('key', 9)), 'cannot reach the store: no answer in time');
    tries = 0;
    assert.is(await store.patiently(() => store.get('key', 9)), undefined);
    assert.ok(tries > 1);
  }, 1500));

test('what cannot pass is not tried again', () =>
  withStore(async (store, s3) => {
    for (const [status, next] of [
      [301, 'Check AWS_REGION'],
      [400, 'Check AWS_REGION'],
      [403, 'Check AWS_ACCESS_KEY_ID'],
      [501, 'conditional writes'],
    ] as const) {
      s3.faultOf = () => status;
      s3.requests.length = 0;
      const why = await messageOf(store.patiently(() => store.put('key', Buffer.from('x'))));
      assert.match(why, `cannot write key: InternalError (HTTP status ${status})`);
      assert.match(why, next);
      assert.is(s3.requests.length, 1);
    }
  }));

test('the address of a bucket follows the variables', () => {
  const baseOf = (place: string, env: Readonly<Record<string, string>>) =>
    s3SettingsOf(parseS3(place), { ...KEYS, ...env }).base;
  const region = { AWS_REGION: 'eu-central-1' };
  for (const [place, env, base] of [
    ['s3://abc', region, 'https://abc.s3.eu-central-1.amazonaws.com/'],
    ['s3://a.b.c', region, 'https://s3.eu-central-1.amazonaws.com/a.b.c/'],
    ['s3://abc', { AWS_REGION: 'cn-north-1' }, 'https://abc.s3.cn-north-1.amazonaws.com.cn/'],
    ['s3://abc', { AWS_ENDPOINT_URL: 'http://h:9000/x/' }, 'http://h:9000/x/abc/'],
  ] as const) {
    assert.is(baseOf(place, env), base);
  }
  assert.throws(() => baseOf('s3://abc', { AWS_REGION: 'x.evil.org/' }), /^AWS_REGION: invalid/);
});

test.run();
