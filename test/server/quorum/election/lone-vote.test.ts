import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Candidate,
  FastLeaderElection,
} from '../../../../src/server/quorum/election/fast-leader-election.js';
import { ensembleOf, frameOf, WAITS } from '../worlds/election-world.js';

// When a looking server asks its oracle, and what the answers mean.

const PAIR = ensembleOf(2);

/** Server 1, which begins to look at 0 ms, and the number of its questions. */
function asking(config = PAIR, candidate: Partial<Candidate> = {}) {
  const asked = { times: 0 };
  const askOracle = (): void => {
    asked.times++;
  };
  const election = new FastLeaderElection({ sid: 1, ...WAITS, askOracle }, config);
  election.lookForLeader({ zxid: 5n, epoch: 1, isObserver: false, config, ...candidate }, 0);
  return { election, asked };
}

test('it asks at the end of each wait in which the other voter is silent', () => {
  const { election, asked } = asking();
  election.tick(199);
  assert.is(asked.times, 0);
  election.tick(200);
  assert.is(asked.times, 1);
  election.receive(2, frameOf('following', { leader: 2 }, PAIR), 300);
  election.tick(600);
  assert.is(asked.times, 1, 'it heard the other');
  election.tick(1400);
  assert.is(asked.times, 2);
});

test('after a yes it leads with its own history', () => {
  const { election } = asking();
  election.tick(200);
  election.step({ isGranted: false });
  assert.is(election.state, 'looking');
  election.step({ isGranted: true });
  assert.is(election.state, 'leading');
  const vote = { leader: 1, zxid: 5n, electionEpoch: 1n, peerEpoch: 1n };
  assert.equal(election.takeElected(), vote);
});

test('a yes is ignored if the other voter was heard meanwhile', () => {
  const { election } = asking();
  election.tick(200);
  election.receive(2, frameOf('following', { leader: 2 }, PAIR), 210);
  election.step({ isGranted: true });
  assert.is(election.state, 'looking');
});

test('a no lets it follow the other voter, which leads', () => {
  const { election, asked } = asking();
  const vote = { leader: 2, zxid: 3n, electionEpoch: 7n, peerEpoch: 2n };
  election.receive(2, frameOf('leading', vote, PAIR), 10);
  assert.is(asked.times, 1);
  election.step({ isGranted: true });
  assert.is(election.state, 'looking', 'both may lead: it does neither');
  election.receive(2, frameOf('leading', vote, PAIR), 20);
  election.step({ isGranted: false });
  assert.is(election.state, 'following');
  assert.equal(election.takeElected(), vote);
});

test('it does not follow a leader that looks for one since', () => {
  const { election } = asking();
  election.receive(2, frameOf('leading', { leader: 2, electionEpoch: 7n }, PAIR), 10);
  election.receive(2, frameOf('looking', { leader: 2, electionEpoch: 0n }, PAIR), 20);
  election.step({ isGranted: false });
  assert.is(election.state, 'looking');
});

test('it asks about no other leader', () => {
  const { election, asked } = asking();
  election.receive(2, frameOf('following', { leader: 2, electionEpoch: 7n }, PAIR), 10);
  election.receive(2, frameOf('leading', { leader: 1, electionEpoch: 7n }, PAIR), 20);
  election.receive(9, frameOf('leading', { leader: 9, electionEpoch: 7n }, PAIR), 30);
  assert.is(asked.times, 0);
});

for (const [name, config, candidate] of [
  ['three voters', ensembleOf(3), {}],
  ['a proposed third voter', PAIR, { nextConfig: ensembleOf(3, 'version=100000001') }],
  ['groups', ensembleOf(2, 'group.1=1:2'), {}],
  ['a lost history', PAIR, { zxid: -1n }],
] as const) {
  test(`with ${name} it does not stand alone`, () => {
    const { election, asked } = asking(config, candidate);
    election.tick(200);
    assert.is(asked.times, 0);
    election.step({ isGranted: true });
    assert.is(election.state, 'looking');
  });
}

test.run();
