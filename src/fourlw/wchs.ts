import { linesOf } from './base/lines.js';
import { servingWord } from './base/word.js';

export interface ParsedWchs {
  readonly connections: number | undefined;
  readonly paths: number | undefined;
  readonly watches: number | undefined;
  readonly unknown: readonly string[];
}

export const wchs = servingWord<ParsedWchs>({
  word: 'wchs',
  summary: 'Print the numbers of watching connections, watched paths, and watches',
  render: (view) => {
    const { connections, paths, watches } = view.watchSummary();
    return `${connections} connections watching ${paths} paths\nTotal watches:${watches}\n`;
  },
  parse: (text) => {
    const found: { connections?: number; paths?: number; watches?: number } = {};
    const unknown: string[] = [];
    for (const line of linesOf(text)) {
      const summary = /^(\d+) connections watching (\d+) paths/.exec(line);
      const total = /^Total watches:\s*(\d+)/.exec(line);
      if (summary !== null) {
        found.connections = Number(summary[1]);
        found.paths = Number(summary[2]);
      } else if (total !== null) found.watches = Number(total[1]);
      else unknown.push(line);
    }
    const { connections, paths, watches } = found;
    return { connections, paths, watches, unknown };
  },
});
