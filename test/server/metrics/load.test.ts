import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Load, prefixesOf } from '../../../src/server/metrics/load.js';
import { Random } from '../../support/random.js';

interface Sent {
  readonly session: string;
  readonly path?: string;
  readonly bytes: number;
}

/** As the server does it. */
function send(load: Load, { session, path, bytes }: Sent): void {
  if (load.isDue(bytes)) load.take({ session, address: '10.0.0.1', user: 'u', path }, bytes);
}

const isNear = (found: number, expected: number): boolean =>
  Math.abs(found - expected) < expected / 10;

test('requests and bytes are estimated from a sample, for short and long requests alike', () => {
  const load = new Load();
  const random = new Random(1);
  const sum = { requests: 0, bytes: 0 };
  for (let i = 0; i < 200_000; i++) {
    const isLong = random.below(100) === 0;
    const bytes = isLong ? 100_000 + random.below(200_000) : random.below(200);
    send(load, { session: isLong ? 'long' : 'short', path: isLong ? '/big/a' : '/app/b', bytes });
    sum.requests++;
    sum.bytes += bytes;
  }
  const { total, byKind } = load.counts(1000);
  assert.ok(isNear(total.requests, sum.requests), `${total.requests} of ${sum.requests}`);
  assert.ok(isNear(total.bytes, sum.bytes), `${total.bytes} of ${sum.bytes}`);
  const long = byKind.session.get('long') ?? { requests: 0, bytes: 0 };
  assert.ok(isNear(long.requests, sum.requests / 100), `${long.requests} long ones`);
  assert.equal([...byKind.path.keys()].sort(), ['/', '/app', '/app/b', '/big', '/big/a']);
  assert.equal(byKind.path.get('/big'), byKind.path.get('/big/a'));
  assert.ok(isNear(byKind.address.get('10.0.0.1')?.bytes ?? 0, sum.bytes));
});

test('clients with a rhythm are seen alike', () => {
  const load = new Load();
  for (let i = 0; i < 640_000; i++) send(load, { session: `${i % 64}`, bytes: 0 });
  const { byKind } = load.counts(1000);
  for (const { requests } of byKind.session.values()) {
    assert.ok(requests > 5_000 && requests < 20_000, `${requests}`);
  }
  assert.is(byKind.session.size, 64);
});

test('a busy server takes few samples, which stand for more', () => {
  const load = new Load();
  let samples = 0;
  for (let second = 0; second < 20; second++) {
    load.clock(second * 1000);
    samples = 0;
    for (let i = 0; i < 100_000; i++) {
      if (!load.isDue(0)) continue;
      load.take({ session: 's', address: 'a', user: 'u', path: '/a' }, 0);
      samples++;
    }
  }
  assert.ok(samples > 300 && samples < 800, `${samples}`);
  assert.ok(isNear(load.counts(20_000).total.requests, 2_000_000));
});

test('names are bounded, and a heavy one stays', () => {
  const load = new Load();
  for (let i = 0; i < 300_000; i++) {
    const session = i % 10 === 0 ? 'heavy' : `${i}`;
    send(load, { session, path: `/${i}/a`, bytes: 100 });
  }
  const { byKind, total } = load.counts(1000);
  for (const names of Object.values(byKind)) assert.ok(names.size <= 512);
  const share = (byKind.session.get('heavy')?.requests ?? 0) / total.requests;
  assert.ok(isNear(share, 0.1), `${share}`);
  assert.is(byKind.path.get('/')?.requests, total.requests);
});

test('old requests are forgotten', () => {
  const load = new Load();
  const some = (session: string): void => {
    for (let i = 0; i < 1000; i++) send(load, { session, bytes: 0 });
  };
  const sessions = (ms: number): string[] => [...load.counts(ms).byKind.session.keys()];
  load.clock(1000);
  some('first');
  assert.equal(sessions(2000), ['first']);
  load.clock(31_000);
  some('second');
  assert.equal(sessions(40_000), ['first', 'second']);
  assert.is(load.counts(40_000).ms, 40_000);
  load.clock(61_500);
  assert.equal(sessions(62_000), ['second']);
  load.clock(200_000);
  assert.equal(sessions(200_000), []);
  some('third');
  load.reset();
  assert.equal(sessions(200_000), []);
});

test('the prefixes of a path end at five names', () => {
  assert.equal(prefixesOf('/'), ['/']);
  assert.equal(prefixesOf('/a'), ['/', '/a']);
  assert.equal(prefixesOf('/a/b/c/d/e/f/g').at(-1), '/a/b/c/d/e');
});

test.run();
