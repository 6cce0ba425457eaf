import { formatSessionId } from '../protocol/session-id.js';
import { formatGroups, type Groups, parseGroups } from './base/groups.js';
import { servingWord } from './base/word.js';

export interface ParsedWchp {
  /** The sessions (`0x100001226710000`) by path. */
  readonly paths: Groups;
  readonly unknown: readonly string[];
}

export const wchp = servingWord<ParsedWchp>({
  word: 'wchp',
  summary: 'Print the watching sessions by path (costly on a large server)',
  render: (view) =>
    `${formatGroups(
      view.watchesByPath().map(({ path, sessionIds }) => [path, sessionIds.map(formatSessionId)]),
    )}\n`,
  parse: (text) => {
    const { groups, unknown } = parseGroups(text);
    return { paths: groups, unknown };
  },
});
