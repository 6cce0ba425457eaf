// A client sets many watches again in several packets. A connection that is lost between two of
// them loses no event: the next one sets them all, as of the zxid before the first loss.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FrameSplitter } from '../support/bytes/zk-frames.js';
import { event, PATH_ONLY, reply, SessionHarness, welcome } from './session-harness.js';

const SET_WATCHES = -8;
const COUNT = 3000;
const pathOf = (at: number): string => `/${'w'.repeat(80)}-${at}`;

/** The frames that a client sends after its handshake. */
function framesOf(h: SessionHarness): readonly Buffer[] {
  return new FrameSplitter().push(h.takeBytes());
}

function reconnect(h: SessionHarness): readonly Buffer[] {
  h.session.handleClosed(new Error('gone'), h.now);
  h.tick(Math.max(h.now, h.session.nextDeadlineMs));
  h.session.handleConnected(h.now);
  h.takeBytes();
  h.receive(welcome());
  return framesOf(h);
}

test('a cut between two packets of watches loses no event', () => {
  const h = new SessionHarness();
  h.establish();
  const operation = { ...PATH_ONLY, watchKind: 'data' as const };
  for (let at = 0; at < COUNT; at++) {
    h.ask(pathOf(at), { operation });
    framesOf(h);
    h.receive(reply(at + 1, 5n, 0, Buffer.from([0, 0, 0, 0])));
  }
  const sent = reconnect(h);
  assert.ok(sent.length >= 2, `${sent.length} packets`);
  const zxidOf = (frame: Buffer | undefined): bigint | undefined => frame?.readBigInt64BE(12);
  assert.equal(new Set(sent.map(zxidOf)), new Set([5n]));
  // The server answers the first packet with a newer zxid, and the connection breaks.
  h.receive(reply(SET_WATCHES, 9n, 0));
  const again = reconnect(h);
  assert.ok(again.length >= sent.length);
  assert.equal(new Set(again.map(zxidOf)), new Set([5n]), 'a newer zxid would hide a change');
  h.takeLog();
  h.receive(event(3, pathOf(COUNT - 1)));
  assert.match(h.takeLog().join(), `NodeDataChanged ${pathOf(COUNT - 1)}`);
});

test.run();
