/**
 * Words of a ClickHouse Keeper whose meaning carries over, with its texts (FourLetterCommand.cpp).
 * A log index is a zxid, a term an epoch. All but `apiv` and `ftfl` work without keeperDialect.
 */
import { KEEPER_API_VERSION, KEEPER_FEATURES } from '../protocol/keeper-dialect.js';
import { zxidEpoch } from '../protocol/zxid.js';
import type { ServerView } from './base/server-view.js';
import { servingWord, type Word } from './base/word.js';

function keeperWord(word: string, summary: string, render: (view: ServerView) => string) {
  return servingWord<string>({ word, summary, render, parse: (text) => text });
}

const apiv = keeperWord(
  'apiv',
  'Print the version of the API: 0 unless its znode exists',
  (view) => (view.isKeeperAnnounced ? KEEPER_API_VERSION : '0'),
);

const ftfl = keeperWord('ftfl', 'Print the feature flags, with 1 for those announced', (view) =>
  KEEPER_FEATURES.map(
    ([name, isServed]) => `${name}\t${isServed && view.isKeeperAnnounced ? 1 : 0}\n`,
  ).join(''),
);

const lgif = keeperWord('lgif', 'Print where the log begins, ends, and is committed', (view) => {
  const { firstZxid, lastZxid, snapshotZxid } = view.log();
  const committed = view.lastProcessedZxid;
  const figures = {
    first_log_idx: firstZxid,
    first_log_term: zxidEpoch(firstZxid),
    last_log_idx: lastZxid,
    last_log_term: zxidEpoch(lastZxid),
    last_committed_log_idx: committed,
    leader_committed_log_idx: committed,
    target_committed_log_idx: committed,
    last_snapshot_idx: snapshotZxid,
  };
  const lines = Object.entries(figures).map(([key, value]) => `${key}\t${value}\n`);
  return lines.join('');
});

const csnp = keeperWord('csnp', 'Begin a snapshot', (view) =>
  view.beginSnapshot()
    ? String(view.lastProcessedZxid)
    : 'Failed to schedule snapshot creation task.',
);

const rqld = keeperWord('rqld', 'Ask the leader to let this server lead', (view) =>
  view.askForLeadership()
    ? 'Sent leadership request to leader.'
    : 'Failed to send leadership request to leader.',
);

export const KEEPER_WORDS: readonly Word[] = [apiv, ftfl, lgif, csnp, rqld];
