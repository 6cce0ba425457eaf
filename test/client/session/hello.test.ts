import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readWelcome } from '../../../src/client/session/hello.js';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import { reply, SessionHarness, TWO } from '../session-harness.js';

test('the header of a reply instead of a welcome: the server grants no session', () => {
  const refusal = new ByteBuilder().int(0).long(7n).int(-119).build();
  assert.is(readWelcome(new InputArchive(refusal)), null);
  const h = new SessionHarness({ servers: TWO, canBeReadOnly: true });
  h.session.start(0);
  h.session.handleConnected(0);
  h.receive(reply(0, 7n, -119));
  assert.equal(h.log, ['connect a:1', 'disconnect', 'connect b:2']);
  assert.is(h.session.list.failedAttempts[0]?.reason, 'a:1 is read-only and grants no session');
});

test.run();
