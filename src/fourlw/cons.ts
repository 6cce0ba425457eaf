import {
  formatFullConnection,
  type ParsedConnection,
  parseConnection,
} from './base/connection-line.js';
import { linesOf } from './base/lines.js';
import { servingWord } from './base/word.js';

export interface ParsedCons {
  readonly connections: readonly ParsedConnection[];
  readonly unknown: readonly string[];
}

export const cons = servingWord<ParsedCons>({
  word: 'cons',
  summary: 'Print every connection with its session, counts, and latencies',
  *pieces(view) {
    for (const connection of view.connections()) yield formatFullConnection(connection);
    yield '\n';
  },
  parse: (text) => {
    const connections: ParsedConnection[] = [];
    const unknown: string[] = [];
    for (const line of linesOf(text)) {
      const connection = parseConnection(line);
      if (connection === undefined) unknown.push(line);
      else connections.push(connection);
    }
    return { connections, unknown };
  },
});
