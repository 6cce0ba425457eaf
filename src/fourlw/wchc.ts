import { formatSessionId } from '../protocol/session-id.js';
import { formatGroup, type Groups, parseGroups } from './base/groups.js';
import { servingWord } from './base/word.js';

export interface ParsedWchc {
  /** The paths by session: `0x100001226710000`. */
  readonly sessions: Groups;
  readonly unknown: readonly string[];
}

export const wchc = servingWord<ParsedWchc>({
  word: 'wchc',
  summary: 'Print the watched paths by session (costly on a large server)',
  *pieces(view) {
    for (const { sessionId, paths } of view.watchesBySession()) {
      yield* formatGroup(formatSessionId(sessionId), paths, (path) => path);
    }
    yield '\n';
  },
  parse: (text) => {
    const { groups, unknown } = parseGroups(text);
    return { sessions: groups, unknown };
  },
});
