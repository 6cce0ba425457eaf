import { test } from 'uvu';
import { oracleTest } from '../../support/apache/oracle.js';
import { playLoneVoters } from '../../support/peers/lone-voter-scenario.js';

// oraclePath in ensembles of a bundled server and one of Apache's. Each leads first, and each is
// alone for a while.

oracleTest('a bundled leader and an Apache follower lose each other in turn, and no write', () =>
  playLoneVoters({ 1: 'theirs', 2: 'ours' }),
);

oracleTest('an Apache leader and a bundled follower lose each other in turn, and no write', () =>
  playLoneVoters({ 1: 'ours', 2: 'theirs' }),
);

oracleTest("two of Apache's servers do the same", () =>
  playLoneVoters({ 1: 'theirs', 2: 'theirs' }),
);

test.run();
