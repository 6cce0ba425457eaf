import { formatSessionId } from '../protocol/session-id.js';
import { formatGroup, type Groups, parseGroups } from './base/groups.js';
import { servingWord } from './base/word.js';

export interface ParsedWchp {
  /** The sessions (`0x100001226710000`) by path. */
  readonly paths: Groups;
  readonly unknown: readonly string[];
}

export const wchp = servingWord<ParsedWchp>({
  word: 'wchp',
  summary: 'Print the watching sessions by path (costly on a large server)',
  *pieces(view) {
    for (const { path, sessionIds } of view.watchesByPath()) {
      yield* formatGroup(path, sessionIds, formatSessionId);
    }
    yield '\n';
  },
  parse: (text) => {
    const { groups, unknown } = parseGroups(text);
    return { paths: groups, unknown };
  },
});
