import { X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkOcspResponse,
  OcspError,
  type OcspQuestion,
  writeOcspRequest,
} from '../../src/certificates/ocsp-message.js';
import { answerOcsp, type OcspIndex, opensslTest } from '../support/peers/ocsp-responder.js';
import {
  type Authority,
  type Credentials,
  daysFromNow,
  makeAuthority,
} from '../support/tls/certs.js';

const NONCE = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const HOUR_MS = 3_600_000;

function question(authority: Authority, { cert }: Credentials, nonce = NONCE): OcspQuestion {
  const [certificate, issuer] = [new X509Certificate(cert), new X509Certificate(authority.cert)];
  return { certificate, issuer, nonce };
}

/** "good until" with a time in minutes, or the reason. */
function verdict(asked: OcspQuestion, response: Buffer, now = Date.now()): string {
  try {
    const until = checkOcspResponse(asked, response, now);
    return until === undefined ? 'good' : `good for ${Math.round((until - now) / 60_000)} min`;
  } catch (error) {
    assert.instance(error, OcspError, String(error));
    return (error as Error).message;
  }
}

function ask(asked: OcspQuestion, index: OcspIndex, now?: number): string {
  return verdict(asked, answerOcsp(writeOcspRequest(asked), index), now);
}

opensslTest('a certificate is good, revoked, or unknown, as its authority says', () => {
  const authority = makeAuthority();
  const [one, other, gone] = [authority.issue(), authority.issue(), authority.issue()];
  const index = { authority, good: [one], revoked: [gone] };
  assert.is(ask(question(authority, one), index), 'good for 60 min');
  assert.match(ask(question(authority, gone), index), /^revoked since 20\d\d-/);
  assert.is(ask(question(authority, other), index), 'unknown to the responder');
  assert.is(ask(question(authority, one), { ...index, flags: [] }), 'good');
  assert.is(ask(question(authority, one), { ...index, flags: ['-resp_key_id'] }), 'good');
});

opensslTest('an early or stale response is refused', () => {
  const authority = makeAuthority();
  const one = authority.issue();
  const index = { authority, good: [one] };
  const asked = question(authority, one);
  const after = Date.now() + 2 * HOUR_MS;
  assert.is(ask(asked, index, after), 'the response is stale');
  assert.is(ask(asked, { ...index, flags: [] }, after), 'the response is stale');
  assert.is(ask(asked, index, Date.now() - HOUR_MS), 'the response is not valid yet');
  assert.match(ask(asked, index, Date.now() + HOUR_MS + 60_000), /^good for -1 min/);
});

opensslTest('only the issuer may answer, or a delegate that it names for OCSP', () => {
  const authority = makeAuthority();
  const one = authority.issue();
  const index = { authority, good: [one] };
  const asked = question(authority, one);
  const by = (signer: Pick<Credentials, 'cert' | 'key'>) => ask(asked, { ...index, signer });
  const NOT_AUTHORIZED = 'the responder is not authorized by the issuer';
  assert.is(by(authority.issue({ isForOcsp: true })), 'good for 60 min');
  assert.is(by(authority.issue()), NOT_AUTHORIZED);
  assert.is(by(authority.issue({ isForClientsOnly: true })), NOT_AUTHORIZED);
  assert.is(by(makeAuthority('Other').issue({ isForOcsp: true })), NOT_AUTHORIZED);
  const old = authority.issue({ isForOcsp: true, notAfter: daysFromNow(-0.5) });
  assert.is(by(old), NOT_AUTHORIZED);
  // The name of the authority, and another key.
  const impostor = makeAuthority();
  assert.is(by(impostor), 'the signature of the response is wrong');
  const named = impostor.issue({ isForOcsp: true });
  assert.is(by(named), NOT_AUTHORIZED);
});

opensslTest('a response for another certificate, issuer, or request is refused', () => {
  const authority = makeAuthority();
  const [one, other] = [authority.issue(), authority.issue()];
  const index = { authority, good: [one, other] };
  const asked = question(authority, one);
  const bytes = answerOcsp(writeOcspRequest(asked), index);
  assert.is(
    verdict(question(authority, other), bytes),
    'the response is about another certificate',
  );
  const replayed = question(authority, one, Buffer.alloc(16, 7));
  assert.is(verdict(replayed, bytes), 'the response is for another request');
});

opensslTest('a responder that refuses, or damaged bytes, give a reason and never a crash', () => {
  const authority = makeAuthority();
  const one = authority.issue();
  const asked = question(authority, one);
  const bytes = answerOcsp(writeOcspRequest(asked), { authority, good: [one] });
  assert.is(verdict(asked, Buffer.from('30030a0103', 'hex')), 'the responder is busy');
  assert.is(verdict(asked, Buffer.from('30030a0104', 'hex')), 'the responder answers 4');
  assert.match(verdict(asked, Buffer.alloc(0)), /^the response is damaged: it /);
  for (let length = 0; length < bytes.length; length++) {
    assert.not.match(verdict(asked, bytes.subarray(0, length)), /^good/);
  }
  let accepted = 0;
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x01;
    if (verdict(asked, changed).startsWith('good')) accepted++;
  }
  // The certificate of the signer is sent along, and no verdict rests on it.
  const { length } = new X509Certificate(authority.cert).raw;
  assert.ok(accepted <= length + 16, `${accepted} of ${bytes.length} changes are accepted`);
});

test.run();
