/** What `zksh/recipes` gives to a program. */

export { RecipeError, type RecipeErrorCode } from './errors.js';
export {
  LeaderElection,
  type LeaderElectionOptions,
  type Leadership,
  type LeadOptions,
} from './leader-election.js';
export { type Held, Lock, type LockOptions } from './lock.js';
export type { TurnOptions } from './turn.js';
