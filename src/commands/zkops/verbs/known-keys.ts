import {
  ADVANCED_SUMMARIES,
  BASIC_SUMMARIES,
  COUNTERS,
  LATER_COUNTERS,
} from '../../../fourlw/base/mntr-keys.js';

/** Names in mntr of most servers, without `zk_`, for a completion without an answer. */
export const KNOWN_KEYS: readonly string[] = [
  ...COUNTERS,
  ...LATER_COUNTERS,
  ...[...BASIC_SUMMARIES, ...ADVANCED_SUMMARIES].flatMap((name) =>
    ['avg', 'min', 'max'].map((part) => `${part}_${name}`),
  ),
];
