import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ensembleOf, frameOf, looking, said } from '../worlds/election-world.js';

test('a single server leads at once', () => {
  const election = looking(1, { zxid: 7n, epoch: 3 }, ensembleOf(1));
  assert.is(election.state, 'leading');
  assert.equal(election.takeElected(), {
    leader: 1,
    zxid: 7n,
    electionEpoch: 1n,
    peerEpoch: 3n,
  });
  assert.is(election.takeElected(), undefined, 'told once');
  assert.is(election.nextWakeMs, Number.POSITIVE_INFINITY);
  assert.equal(said(election), []);
});

test('the first vote is for the server itself and goes to all other voters', () => {
  const election = looking(2, {}, ensembleOf(3, 'server.4=h4:2888:3888:observer'));
  assert.equal(said(election), ['1:looking:2@1', '3:looking:2@1']);
});

test('the vote of a quorum wins after a wait for a better one', () => {
  const election = looking(2, { zxid: 5n });
  said(election);
  election.receive(1, frameOf('looking', { leader: 2, zxid: 5n }), 10);
  assert.is(election.nextWakeMs, 200, 'the next repetition comes first');
  election.tick(200);
  assert.is(election.state, 'looking');
  election.tick(210);
  assert.is(election.state, 'leading');

  const other = looking(2, { zxid: 5n });
  other.receive(1, frameOf('looking', { leader: 2, zxid: 5n }), 10);
  other.receive(3, frameOf('looking', { leader: 3, zxid: 6n }), 100);
  assert.is(other.vote.leader, 3);
  other.tick(210);
  assert.is(other.state, 'looking', 'the wait restarts for a new vote');
  other.tick(300);
  assert.is(other.state, 'following');
  assert.is(other.takeElected()?.leader, 3);
});

test('the wait ends at once when all voters have answered', () => {
  const election = looking(1);
  said(election);
  election.receive(2, frameOf('looking', { leader: 3 }), 1);
  assert.is(election.state, 'looking');
  election.receive(3, frameOf('looking', { leader: 3 }), 2);
  assert.is(election.state, 'following');
  assert.equal(said(election), ['2:looking:3@1', '3:looking:3@1'], 'its vote is still sent');
});

test('the later epoch wins, then the later zxid, then the greater sid', () => {
  const order = [
    { leader: 1, zxid: 0n, peerEpoch: 0n },
    { leader: 3, zxid: 0n, peerEpoch: 0n },
    { leader: 1, zxid: 9n, peerEpoch: 0n },
    { leader: 1, zxid: 2n, peerEpoch: 1n },
    { leader: 3, zxid: 2n, peerEpoch: 1n },
    { leader: 1, zxid: 3n, peerEpoch: 1n },
  ];
  for (const [place, vote] of order.entries()) {
    for (const [otherPlace, other] of order.entries()) {
      const election = looking(2, {}, ensembleOf(5));
      election.receive(4, frameOf('looking', { ...vote, electionEpoch: 9n }), 0);
      election.receive(5, frameOf('looking', { ...other, electionEpoch: 9n }), 0);
      // Its own vote, (2, 0, 0), is between the first and the second.
      const best = order[Math.max(place, otherPlace)];
      if (best !== order[0]) assert.equal(election.vote, { ...best, electionEpoch: 9n });
      else assert.is(election.vote.leader, 2);
    }
  }
});

test('a later round restarts the count, and an earlier one gets a response', () => {
  const election = looking(3, {}, ensembleOf(5));
  election.receive(1, frameOf('looking', { leader: 3 }), 0);
  said(election);
  election.receive(2, frameOf('looking', { leader: 2, electionEpoch: 4n }), 1);
  assert.equal(
    said(election),
    [1, 2, 4, 5].map((to) => `${to}:looking:3@4`),
  );
  election.receive(4, frameOf('looking', { leader: 3, electionEpoch: 4n }), 2);
  election.tick(1000);
  assert.is(election.state, 'looking', 'server 1 voted in another round');
  said(election);
  election.receive(1, frameOf('looking', { leader: 5, electionEpoch: 3n }), 1001);
  assert.equal(said(election), ['1:looking:3@4']);
  assert.is(election.vote.leader, 3);
});

test('a server that had a leader when the vote came gets it again as soon as it looks', () => {
  const election = looking(3, { zxid: 9n });
  said(election);
  election.receive(1, frameOf('following', { leader: 3 }), 1);
  assert.equal(said(election), [], 'it does not look yet');
  const worse = frameOf('looking', { leader: 2, zxid: 5n });
  election.receive(1, worse, 2);
  assert.equal(said(election), ['1:looking:3@1']);
  election.receive(1, worse, 3);
  assert.equal(said(election), [], 'once, so that two servers do not echo forever');
});

test('a vote is repeated at growing intervals', () => {
  const election = looking(1);
  const times: number[] = [];
  for (let count = 0; count < 11; count++) {
    said(election);
    times.push(election.nextWakeMs);
    election.tick(election.nextWakeMs);
    assert.equal(said(election), ['2:looking:1@1', '3:looking:1@1']);
  }
  const waits = times.map((time, at) => time - (times[at - 1] ?? 0));
  assert.equal(waits.slice(0, 4), [200, 400, 800, 1600]);
  assert.equal(waits.slice(-2), [60_000, 60_000]);
});

test('servers that may have missed the outcome are notified', () => {
  const election = looking(5, {}, ensembleOf(5));
  for (const sid of [1, 2]) election.receive(sid, frameOf('looking', { leader: 5 }), 1);
  election.receive(3, frameOf('looking', { leader: 3 }), 1);
  election.receive(-7, frameOf('looking', { leader: -(2 ** 63) }), 1);
  said(election);
  election.tick(201);
  assert.equal(said(election), ['-7:leading:5@1', '3:leading:5@1', '4:leading:5@1']);
});

test('an observer does not vote and finds the leader from either kind of response', () => {
  const config = ensembleOf(3, 'server.4=h4:2888:3888:observer');
  const late = looking(4, { isObserver: true, config });
  assert.equal(
    said(late),
    [1, 2, 3].map((to) => `${to}:looking:nobody@1`),
  );
  late.receive(3, frameOf('leading', { leader: 3, electionEpoch: 5n }), 1);
  late.receive(1, frameOf('following', { leader: 3, electionEpoch: 5n }), 1);
  assert.is(late.state, 'observing');

  const early = looking(4, { isObserver: true, config });
  early.receive(3, frameOf('looking', { leader: 3 }), 1);
  early.receive(1, frameOf('looking', { leader: 3 }), 1);
  early.tick(201);
  assert.is(early.state, 'observing', 'its own vote does not count, but two others are a quorum');
});

test('the vote of an observer does not count, but it gets one response and later changes', () => {
  const config = ensembleOf(3, 'server.4=h4:2888:3888:observer');
  const election = looking(3, { config });
  said(election);
  const ask = frameOf('looking', { leader: 3 });
  election.receive(4, ask, 1);
  assert.equal(said(election), ['4:looking:3@1']);
  election.receive(4, ask, 2);
  election.receive(4, frameOf('observing', { leader: 1 }), 2);
  assert.equal(said(election), []);
  election.tick(200);
  assert.is(election.state, 'looking');
  assert.equal(said(election), ['1:looking:3@1', '2:looking:3@1', '4:looking:3@1']);
});

test('a server of weight 0 votes for others but gets no vote', () => {
  const config = ensembleOf(4, 'group.1=1:2:3', 'group.2=4', 'weight.4=0');
  const weightless = looking(4, { zxid: 99n, config });
  weightless.receive(1, frameOf('looking', { leader: 3, zxid: 1n }), 0);
  weightless.receive(3, frameOf('looking', { leader: 3, zxid: 1n }), 0);
  weightless.tick(200);
  assert.is(weightless.takeElected()?.leader, 3);

  const other = looking(1, { config });
  other.receive(4, frameOf('looking', { leader: 4, zxid: 99n }), 0);
  assert.is(other.vote.leader, 1);
  other.receive(2, frameOf('looking', { leader: 2, zxid: 1n }), 0);
  other.receive(3, frameOf('looking', { leader: 2, zxid: 1n }), 0);
  assert.is(other.takeElected()?.leader, 2, 'no server waits for the vote of 4');
});

test('votes of and for servers outside the membership are ignored', () => {
  const election = looking(1);
  election.receive(9, frameOf('looking', { leader: 3, electionEpoch: 8n }), 0);
  election.receive(2, frameOf('looking', { leader: 9, zxid: 9n }), 0);
  election.receive(2, frameOf('following', { leader: 9 }), 0);
  election.receive(3, frameOf('leading', { leader: 9 }), 0);
  assert.equal(election.vote, { leader: 1, zxid: 0n, electionEpoch: 1n, peerEpoch: 0n });
});

test('a server without a history neither votes nor gets votes, but joins', () => {
  const election = looking(1, { zxid: -1n });
  election.receive(2, frameOf('looking', { leader: 3 }), 0);
  election.receive(3, frameOf('looking', { leader: 3 }), 0);
  election.tick(100);
  assert.is(election.vote.leader, 1);
  assert.is(election.state, 'looking');
  election.receive(2, frameOf('following', { leader: 3 }), 101);
  election.receive(3, frameOf('leading', { leader: 3 }), 101);
  assert.is(election.state, 'following');

  const other = looking(1);
  other.receive(3, frameOf('looking', { leader: 3, zxid: -1n, peerEpoch: 9n }), 0);
  assert.is(other.vote.leader, 1);
});

test('a malformed notification is ignored and reported', () => {
  const election = looking(1);
  said(election);
  const { vote } = election;
  const good = frameOf('looking', { leader: 3, zxid: 9n });
  for (let length = 0; length < good.length; length++) {
    if (length === 28 || length === 40) continue;
    election.receive(3, good.subarray(0, length), 1);
    assert.match(
      election.takeProblem() ?? '',
      /^server 3: ignored a notification: (too short|invalid length)/,
    );
  }
  assert.equal(election.vote, vote);
  assert.is(election.takeProblem(), undefined);
  election.receive(3, good, 1);
  assert.is(election.vote.leader, 3);
});

test('a newer configuration is passed on once, and a malformed one is ignored', () => {
  const newer = ensembleOf(5, 'version=100000009');
  const election = looking(1);
  election.receive(2, frameOf('looking', {}, newer), 1);
  assert.is(election.newerConfigs.take()?.version, 0x1_0000_0009n);
  election.receive(2, frameOf('looking', {}, newer), 2);
  assert.is(election.newerConfigs.take(), undefined);
  assert.is(election.takeProblem(), undefined);

  const frame = Buffer.from(frameOf('looking', { leader: 3 }));
  frame.write('#', 44);
  frame.write('x', frame.length - 1);
  election.receive(3, frame, 3);
  assert.match(election.takeProblem() ?? '', /^server 3: ignored its configuration: /);
  assert.is(election.vote.leader, 3, 'its vote still counts');

  said(election);
  election.setConfig(newer);
  assert.equal(
    said(election),
    [2, 3, 4, 5].map((to) => `${to}:looking:1@2`),
  );
});

test('while a reconfig is pending, both configurations need a quorum', () => {
  const config = ensembleOf(3);
  const nextConfig = ensembleOf(5, 'version=100000009');
  const election = looking(3, { config, nextConfig });
  assert.equal(
    said(election),
    [1, 2, 4, 5].map((to) => `${to}:looking:3@1`),
  );
  election.receive(2, frameOf('looking', { leader: 3 }), 0);
  election.tick(200);
  election.tick(400);
  assert.is(election.state, 'looking');
  election.receive(1, frameOf('looking', { leader: 3 }), 400);
  election.tick(600);
  assert.is(election.state, 'leading');
});

test.run();
