import { X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CrlError } from '../../src/certificates/crl.js';
import { FetchedLists } from '../../src/certificates/fetched-lists.js';
import { type ListServer, startLists } from '../support/peers/list-server.js';
import { type Authority, daysFromNow, makeAuthority } from '../support/tls/certs.js';

const MINUTE_MS = 60_000;
const LIMITS = { timeMs: 10_000, maxListBytes: 65_536, maxLists: 2 };

interface World {
  readonly authority: Authority;
  readonly server: ListServer;
  issue(path: string): { readonly cert: string; readonly serial: number };
  /** "good", or the reason. */
  check(own: { readonly cert: string }): Promise<string>;
  /** Moves the clock forward. */
  pass(ms: number): void;
}

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const authority = makeAuthority();
  const server = await startLists();
  const lists = new FetchedLists(LIMITS, new AbortController().signal);
  const issuer = new X509Certificate(authority.cert);
  const { now } = Date;
  let passedMs = 0;
  Date.now = () => now() + passedMs;
  try {
    await run({
      authority,
      server,
      issue: (path) => authority.issue({ crlUrls: [server.url + path] }),
      check: async ({ cert }) => {
        const certificate = new X509Certificate(cert);
        const checked = lists.check({ certificate, issuer });
        return checked.then(
          () => 'good',
          (error) => {
            assert.instance(error, CrlError);
            return error.message;
          },
        );
      },
      pass: (ms) => {
        passedMs += ms;
      },
    });
  } finally {
    Date.now = now;
    await server.close();
  }
}

test('a newer list counts after a minute, and an old one never comes back', () =>
  inWorld(async ({ authority, server, issue, check, pass }) => {
    const one = issue('/ca.crl');
    const before = authority.list();
    server.serve('/ca.crl', before);
    assert.equal(await Promise.all([check(one), check(one)]), ['good', 'good']);
    const revoked = authority.issue({ crlUrls: [`${server.url}/ca.crl`] });
    const after = { revoked: [revoked], thisUpdate: daysFromNow(-0.5) };
    server.serve('/ca.crl', authority.list(after));
    assert.is(await check(one), 'good');
    assert.is(server.asked, 1);
    pass(MINUTE_MS + 1);
    assert.match(await check({ cert: revoked.cert }), /^revoked since /);
    server.serve('/ca.crl', before);
    pass(MINUTE_MS + 1);
    assert.match(await check({ cert: revoked.cert }), /^revoked since /);
    assert.is(server.asked, 3);
  }));

test('while its server is down, a kept list counts until its end, and no longer', () =>
  inWorld(async ({ authority, server, issue, check, pass }) => {
    const one = issue('/ca.crl');
    server.serve('/ca.crl', authority.list());
    assert.is(await check(one), 'good');
    server.serve('/ca.crl', undefined);
    pass(60 * MINUTE_MS);
    assert.is(await check(one), 'good');
    assert.is(await check(one), 'good');
    assert.is(server.asked, 2, 'it is asked once a minute');
    pass(24 * 60 * MINUTE_MS);
    assert.match(await check(one), 'the server of the list answers HTTP 404');
  }));

test('only a number of lists is kept', () =>
  inWorld(async ({ authority, server, issue, check }) => {
    const all = ['/a', '/b', '/c'].map((path) => {
      server.serve(path, authority.list());
      return issue(path);
    });
    for (const one of [...all, ...all.slice(1), ...all.slice(0, 1)]) {
      assert.is(await check(one), 'good');
    }
    assert.is(server.asked, 4);
  }));

test.run();
