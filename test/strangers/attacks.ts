import type { Attack } from './attack.js';
import { CLIENT_ATTACKS } from './client-attacks.js';
import { ELECTION_ATTACKS } from './election-attacks.js';
import { QUORUM_ATTACKS } from './quorum-attacks.js';

export const ATTACKS: readonly Attack[] = [
  ...ELECTION_ATTACKS,
  ...QUORUM_ATTACKS,
  ...CLIENT_ATTACKS,
];
