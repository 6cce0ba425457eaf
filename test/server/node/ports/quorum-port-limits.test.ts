/** The limits of connections to the quorum port: count, time, and unread bytes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Event } from '../../../../src/server/events.js';
import { waitFor } from '../../../support/wait-for.js';
import { limitsIn, within } from './quorum-port-world.js';

test('links that are not in sync and never read share one limit, but those in sync do not', () =>
  within(
    async ({ port, call, of, events }) => {
      for (let link = 1; link <= 3; link++) {
        call().socket.pause();
        await waitFor('it', () => of('link-opened').length === link);
      }
      port.proveLink(1);
      // The second has less to read than the third.
      for (let i = 0; i < 60 && of('link-closed').length === 0; i++) {
        for (const link of [1, 1, 2, 3, 3]) port.send(link, Buffer.alloc(500_000));
        await new Promise(setImmediate);
      }
      await waitFor('one to end', () => of('link-closed').length === 1);
      assert.is(of('link-closed')[0]?.link, 3);
      assert.match(of('link-closed')[0]?.reason ?? '', /over 9000000 unread bytes/);
      const exceeded = (events as readonly Event[]).filter(({ kind }) => kind === 'limit-exceeded');
      assert.equal(exceeded, [
        { kind: 'limit-exceeded', limit: 'unprovenUnreadBytes', from: '127.0.0.1' },
      ]);
    },
    { maxUnprovenBytes: 9_000_000 },
  ));

test('a full link reports that it is empty, also if its last packet was a small one', () =>
  within(
    async ({ port, call, of }) => {
      const caller = call();
      await waitFor('the link', () => of('link-opened')[0]);
      const { link } = of('link-opened')[0] as { readonly link: number };
      const states = () => of('link-output').map(({ state }) => state);
      port.send(link, Buffer.alloc(28));
      await waitFor('a ping', () => caller.received().length === 28);
      assert.equal(states(), [], 'that the system took a ping shows no reader');
      // The system takes them at once, so the socket never reports that it drained.
      port.send(link, Buffer.alloc(900));
      port.send(link, Buffer.alloc(200));
      await waitFor('an empty link', () => states().includes('empty'));
      assert.ok(states().includes('full'));
      assert.is(caller.received().length, 1128);
      port.proveLink(link);
    },
    { linkLimits: { fullBytes: 1000 } },
  ));

test('a closed link whose other side does not read has a deadline', () =>
  within(
    async ({ port, call, of, events }) => {
      const { socket, isEnded } = call();
      await waitFor('the connection', () => of('link-opened').length === 1);
      socket.pause();
      port.send(1, Buffer.alloc(32_000_000));
      port.closeLink(1);
      await waitFor('the report', () => limitsIn(events).length > 0);
      assert.equal(limitsIn(events), ['quorumClosingTime 40']);
      socket.resume();
      await waitFor('the end', isEnded);
    },
    { linkLimits: { closingTimeMs: 40 } },
  ));

test('a silent link is closed, with the reason', () =>
  within(
    async ({ call, of, events }) => {
      const silent = call();
      await waitFor('it to be disconnected', silent.isEnded);
      await waitFor('the event', () => of('link-closed').length > 0);
      assert.is(of('link-closed')[0]?.reason, 'it said nothing for 50 ms');
      assert.equal(limitsIn(events), ['quorumGreetingTime 50']);
    },
    { greetingTimeoutMs: 50 },
  ));

test('if silent links crowd the port, the oldest is closed, and a member joins', () =>
  within(
    async ({ call, of, events }) => {
      const spoken = call();
      await waitFor('the first', () => of('link-opened').length === 1);
      spoken.socket.write('packet');
      await waitFor('its bytes', () => of('link-received').length === 1);
      const oldest = call();
      await waitFor('the second', () => of('link-opened').length === 2);
      for (let i = 0; i < 7; i++) call();
      await waitFor('the crowd', () => of('link-opened').length === 9);
      assert.is(of('link-closed').length, 0);
      const member = call();
      member.socket.write('FOLLOWERINFO');
      await waitFor('the member', () => of('link-received').some(({ link }) => link === 10));
      await waitFor('the oldest to end', oldest.isEnded);
      assert.equal(of('link-closed'), [
        {
          kind: 'link-closed',
          link: 2,
          reason: 'silent: the oldest of 8 silent connections',
        },
      ]);
      assert.not(spoken.isEnded());
      assert.equal(limitsIn(events), ['quorumGreetings 8']);
    },
    { maxSilent: 8 },
  ));

test('connections that were closed here but stay open are limited too', () =>
  within(
    async ({ call, of, port, events }) => {
      const stubborn = Array.from({ length: 4 }, () => call({ allowHalfOpen: true }));
      for (const { socket } of stubborn) socket.write('packet');
      await waitFor('all of them', () => of('link-received').length === 4);
      const refused = call();
      await waitFor('one more to be refused', refused.isEnded);
      assert.equal(limitsIn(events), ['quorumLinks 4']);
      for (const { link } of of('link-opened')) port.closeLink(link);
      const member = call();
      member.socket.write('FOLLOWERINFO');
      await waitFor('a member', () => of('link-received').length === 5);
    },
    { maxLinks: 4 },
  ));

test.run();
