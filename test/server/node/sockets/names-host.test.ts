import { X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkHost } from '../../../../src/server/node/sockets/names-host.js';
import { makeAuthority } from '../../../support/tls/certs.js';

const CASES: readonly (readonly [cn: string, names: string[], host: string, isTaken: boolean])[] = [
  ['anyone', ['127.0.0.1'], '127.0.0.1', true],
  ['anyone', ['10.1.2.3'], '127.0.0.1', false],
  ['anyone', ['a.example'], 'a.example', true],
  ['a.example', ['b.example'], 'a.example', false],
  ['a.example', [], 'a.example', true],
  ['a.example', ['10.1.2.3'], 'a.example', false],
  ['a.example', ['10.1.2.3', 'a.example'], 'a.example', true],
  ['127.0.0.1', ['10.1.2.3'], '127.0.0.1', false],
];

test('a common name counts only if a certificate has no alternative name', () => {
  const authority = makeAuthority();
  for (const [cn, names, host, isTaken] of CASES) {
    const { cert } = authority.issue({ subject: [[['CN', cn]]], names });
    const refusal = checkHost(host, new X509Certificate(cert).toLegacyObject());
    assert.is(refusal === undefined, isTaken, `CN ${cn}, names ${names} for ${host}`);
  }
});

test.run();
