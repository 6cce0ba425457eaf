/** Words of a ClickHouse Keeper, with the texts of its sources. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerView } from '../../src/fourlw/base/server-view.js';
import { parseWhitelist } from '../../src/fourlw/base/whitelist.js';
import { answerWord, wordOf } from '../../src/fourlw/index.js';
import { makeView } from './captured-view.js';

function answer(name: string, view: Partial<ServerView> = {}, whitelist = name): string {
  const word = wordOf(Buffer.from(name, 'latin1').readInt32BE(0));
  assert.ok(word, name);
  return [...answerWord(makeView(view), word, parseWhitelist(whitelist, false))].join('');
}

test('apiv and ftfl say what the znodes say', () => {
  assert.is(answer('apiv'), '0');
  assert.is(answer('apiv', { isKeeperAnnounced: true }), '3');
  assert.is(answer('ftfl').match(/\t0\n/g)?.length, 12);
  assert.is(
    answer('ftfl', { isKeeperAnnounced: true }),
    `filtered_list\t1
multi_read\t1
check_not_exists\t1
create_if_not_exists\t1
remove_recursive\t1
multi_watches\t0
check_stat\t1
persistent_watches\t0
create_with_stats\t0
try_remove\t1
list_with_stat_and_data\t1
get_children_recursive\t1
`,
  );
});

test('lgif has zxids as indexes, and epochs as terms', () => {
  const log = () => ({ firstZxid: 0x200000001n, lastZxid: 0x300000009n, snapshotZxid: 0x3n });
  assert.is(
    answer('lgif', { log, lastProcessedZxid: 0x300000007n }),
    `first_log_idx\t8589934593
first_log_term\t2
last_log_idx\t12884901897
last_log_term\t3
last_committed_log_idx\t12884901895
leader_committed_log_idx\t12884901895
target_committed_log_idx\t12884901895
last_snapshot_idx\t3
`,
  );
});

test('csnp and rqld say whether they did it', () => {
  const done: string[] = [];
  const note = (what: string) => () => done.push(what) > 0;
  const view = { lastProcessedZxid: 77n, beginSnapshot: note('s'), askForLeadership: note('l') };
  assert.is(answer('csnp', view), '77');
  assert.is(answer('csnp'), 'Failed to schedule snapshot creation task.');
  assert.is(answer('rqld', view), 'Sent leadership request to leader.');
  assert.is(answer('rqld'), 'Failed to send leadership request to leader.');
  assert.equal(done, ['s', 'l']);
});

test('words that act need their names in the whitelist', () => {
  const never = (): boolean => {
    throw new Error('refused, and done');
  };
  const view = { beginSnapshot: never, askForLeadership: never };
  for (const word of ['csnp', 'rqld']) {
    assert.match(answer(word, view, '*'), /not in the whitelist/);
  }
  for (const word of ['apiv', 'ftfl', 'lgif']) assert.not.match(answer(word, {}, '*'), /whitelist/);
});

test('a server that does not serve answers none of them', () => {
  for (const word of ['apiv', 'ftfl', 'lgif', 'csnp', 'rqld']) {
    assert.match(answer(word, { isServing: false }), /not currently serving/);
  }
});

test.run();
