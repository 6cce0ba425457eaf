import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ParkedLinks } from '../../../../src/server/quorum/peer/parked-links.js';

function crowd(size: number) {
  const closed: number[] = [];
  const limits: string[] = [];
  const parked = new ParkedLinks({
    emit: (effect) => {
      if (effect.kind === 'link-close') closed.push(effect.link);
    },
    exceeded: (limit, from) => limits.push(`${limit} ${from}`),
  });
  const open = (link: number) => parked.handle({ kind: 'link-opened', link, remote: 'x' }, true);
  const say = (link: number, bytes: Buffer) =>
    parked.handle({ kind: 'link-received', link, bytes }, true);
  for (let link = 1; link <= size; link++) open(link);
  return { closed, limits, parked, open, say };
}

test('above the limit, the oldest silent link is closed', () => {
  const { closed, parked, open, say } = crowd(256);
  say(1, Buffer.alloc(40));
  assert.ok(open(257));
  assert.equal(closed, [2]);
  const all = parked.takeAll().map(([link]) => link);
  assert.is(all.length, 256);
  assert.ok(all.includes(1) && all.includes(257));
});

test('if all links have sent data, the oldest is closed', () => {
  const { closed, limits, open, say } = crowd(256);
  for (let link = 1; link <= 256; link++) say(link, Buffer.alloc(40));
  assert.ok(open(257));
  assert.equal(closed, [1]);
  assert.equal(limits, ['parkedLinks x']);
});

test('a link that sends more than a learner may before its turn is closed', () => {
  const { limits, say, parked } = crowd(1);
  assert.ok(say(1, Buffer.alloc(4096)));
  assert.not(say(1, Buffer.alloc(1)));
  assert.is(parked.takeAll().length, 0);
  assert.equal(limits, ['parkedLinkBytes x']);
});

test.run();
