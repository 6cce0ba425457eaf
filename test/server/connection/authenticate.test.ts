import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import { Auth } from '../../../src/server/session/auth.js';
import { ServerWorld } from '../server-world.js';

/** The answers to a client that names an ensemble, and what the server counted. */
function named(name: string, names: string | null, schemes = ['ip', 'ensemble']) {
  // The key ensembleAuthName.
  const ensembleNames = names === null ? null : new Set(names.split(','));
  const auth = new Auth({ hash: (text) => text, schemes: new Set(schemes), ensembleNames });
  const world = new ServerWorld({ auth });
  const client = world.client();
  const packet = { type: 0, scheme: 'ensemble', auth: Buffer.from(name) };
  client.push(client.request(OpCode.auth, packet, Xid.auth));
  const { counters } = world.server.state.stats.metrics.view();
  const counts = ['success', 'fail', 'skip'].map((each) => {
    return Object.entries(counters).find(([key]) => key === `ensemble_auth_${each}`)?.[1] ?? 0;
  });
  return { answers: client.take(), counts };
}

test('a client that names this ensemble is served', () => {
  assert.equal(named('blue', 'green,blue'), { answers: ['auth ok'], counts: [1, 0, 0] });
});

test('a client that names another ensemble is disconnected without an error', () => {
  assert.equal(named('red', 'green,blue'), { answers: ['closed'], counts: [0, 1, 0] });
});

test('without a name on either side, any client is served', () => {
  assert.equal(named('red', null), { answers: ['auth ok'], counts: [0, 0, 1] });
  assert.equal(named('', 'blue'), { answers: ['auth ok'], counts: [0, 0, 1] });
});

test('without its provider, the scheme ensemble is unknown', () => {
  assert.equal(named('blue', 'blue', ['ip']).answers, ['auth AUTHFAILED', 'closed']);
});

test('a failed login by SASL is reported with its cause, unless the client is served', () => {
  for (const allowsSaslFailure of [false, true]) {
    const startSasl = () => ({ step: () => ({ kind: 'failed' as const, reason: 'the cause' }) });
    const auth = new Auth({ hash: (text) => text, startSasl, allowsSaslFailure });
    const world = new ServerWorld({ auth });
    const client = world.client();
    client.push(client.request(OpCode.sasl, { token: Buffer.alloc(0) }));
    const refused = { kind: 'refused', remoteIp: '127.0.0.1', reason: 'SASL: the cause' };
    const reports = world.effects.flatMap((effect) =>
      effect.kind === 'report' && effect.report.kind === 'refused' ? [effect.report] : [],
    );
    assert.equal(reports, allowsSaslFailure ? [] : [refused]);
  }
});

test.run();
