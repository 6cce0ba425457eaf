import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decoded, ensembleOf, frameOf, looking, said } from './worlds/election-world.js';

// How a server that looks for a leader learns of an existing one.

test('a late server joins the leader that a quorum follows, in its round', () => {
  const election = looking(1);
  const settled = { leader: 2, zxid: 4n, electionEpoch: 7n, peerEpoch: 3n };
  election.receive(3, frameOf('following', settled), 1);
  assert.is(election.state, 'looking');
  election.receive(2, frameOf('leading', { ...settled, zxid: 0n }), 2);
  assert.is(election.state, 'following');
  assert.is(election.takeElected()?.electionEpoch, 7n);
  election.lookForLeader({ zxid: 0n, epoch: 0, isObserver: false, config: ensembleOf(3) }, 10);
  assert.is(election.vote.electionEpoch, 8n);
});

test('votes for a leader agree across rounds and zxids, but not across epochs', () => {
  for (const [peerEpoch, state] of [
    [3n, 'following'],
    [4n, 'looking'],
  ] as const) {
    const election = looking(1, {}, ensembleOf(5));
    const vote = { leader: 5, zxid: 4n, electionEpoch: 7n, peerEpoch: 3n };
    election.receive(5, frameOf('leading', vote), 1);
    election.receive(4, frameOf('following', { ...vote, zxid: 9n, electionEpoch: 6n }), 1);
    election.receive(3, frameOf('following', { ...vote, electionEpoch: 9n, peerEpoch }), 1);
    assert.is(election.state, state);
  }
});

test('a server with an old notification format may not have raised its epoch yet', () => {
  const election = looking(1, {}, ensembleOf(5));
  const vote = { leader: 5, zxid: 4n, electionEpoch: 7n, peerEpoch: 3n };
  const older = (state: 'leading' | 'following') =>
    frameOf(state, { ...vote, peerEpoch: 2n }).subarray(0, 40);
  election.receive(5, older('leading'), 1);
  election.receive(4, older('following'), 1);
  assert.is(election.state, 'looking');
  election.receive(3, frameOf('following', vote), 1);
  assert.is(election.state, 'following');
});

test('no server joins a leader that does not claim to lead', () => {
  for (const state of ['following', 'looking'] as const) {
    const election = looking(1, {}, ensembleOf(5));
    const vote = { leader: 5, electionEpoch: 7n };
    for (const sid of [2, 3, 4]) election.receive(sid, frameOf('following', vote), 1);
    election.receive(5, frameOf(state, { ...vote, electionEpoch: 1n }), 1);
    election.tick(150);
    assert.is(election.state, 'looking');
  }
});

test('the vote of a server for its leader is forgotten when it looks again', () => {
  const election = looking(1, {}, ensembleOf(5));
  const vote = { leader: 5, electionEpoch: 7n };
  election.receive(4, frameOf('following', vote), 1);
  election.receive(3, frameOf('following', vote), 1);
  election.receive(4, frameOf('looking', { leader: 4, electionEpoch: 1n }), 2);
  election.receive(5, frameOf('leading', vote), 3);
  assert.is(election.state, 'looking');
});

test('in the same round, votes of followers and of looking servers count together', () => {
  const election = looking(1, {}, ensembleOf(5));
  const vote = { leader: 5, zxid: 3n };
  election.receive(4, frameOf('looking', vote), 1);
  election.receive(5, frameOf('leading', { ...vote, peerEpoch: 1n, zxid: 3n }), 1);
  assert.is(election.state, 'looking', 'the leader has raised its epoch, 4 and 1 have not');
  election.receive(3, frameOf('following', vote), 1);
  assert.is(election.state, 'following', '1, 3, 4 and 5');
});

test('a server learns from its followers that it leads, in its own round only', () => {
  for (const [electionEpoch, state] of [
    [1n, 'leading'],
    [2n, 'looking'],
  ] as const) {
    const election = looking(3);
    said(election);
    election.receive(1, frameOf('following', { leader: 3, electionEpoch }), 1);
    election.receive(2, frameOf('following', { leader: 3, electionEpoch }), 1);
    assert.is(election.state, state);
  }
});

test('a server with a leader answers looking servers with its round and the new epoch', () => {
  const election = looking(1);
  election.receive(2, frameOf('looking', { leader: 3 }), 1);
  election.receive(3, frameOf('looking', { leader: 3 }), 1);
  said(election);
  election.receive(3, frameOf('leading', { leader: 3 }), 2);
  assert.equal(said(election), [], 'only looking servers get a response');
  election.setPeerEpoch(1);
  election.receive(2, frameOf('looking', { leader: 2, electionEpoch: 9n }), 3);
  const [answer] = election.takeOutgoing();
  assert.is(answer?.to, 2);
  const { state, vote } = decoded(answer?.frame ?? Buffer.alloc(0));
  assert.equal(
    [state, vote],
    ['following', { leader: 3, zxid: 0n, electionEpoch: 1n, peerEpoch: 1n }],
  );
});

test('a leader knows which of its voters look again', () => {
  const election = looking(3, {}, ensembleOf(5));
  for (const sid of [1, 2]) election.receive(sid, frameOf('looking', { leader: 3 }), 1);
  for (const sid of [4, 5]) election.receive(sid, frameOf('looking', { leader: sid }), 1);
  election.receive(4, frameOf('looking', { leader: 5 }), 1);
  assert.is(election.vote.leader, 5);

  const leader = looking(5, {}, ensembleOf(5));
  for (const sid of [1, 2]) leader.receive(sid, frameOf('looking', { leader: 5 }), 1);
  leader.tick(201);
  assert.is(leader.state, 'leading');
  leader.receive(1, frameOf('looking', { leader: 5 }), 202);
  leader.receive(4, frameOf('looking', { leader: 4, electionEpoch: 2n }), 203);
  assert.equal(
    [...leader.supporters.departedSids],
    [],
    'one repeats its vote, one never voted for it',
  );
  leader.receive(2, frameOf('looking', { leader: 2, electionEpoch: 2n }), 204);
  assert.equal([...leader.supporters.departedSids], [2]);
});

test.run();
