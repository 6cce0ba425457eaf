import { test } from 'uvu';
import { playLoneVoters } from '../../../support/peers/lone-voter-scenario.js';

test('two bundled servers lose each other in turn, and no write', () =>
  playLoneVoters({ 1: 'ours', 2: 'ours' }));

test.run();
