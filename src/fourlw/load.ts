import { safeLine } from '../protocol/sanitize.js';
import { linesOf } from './base/lines.js';
import { LOAD_KINDS, type LoadFigures, type LoadRow, type LoadView } from './base/load-view.js';
import { servingWord } from './base/word.js';

export interface ParsedLoad extends LoadView {
  readonly unknown: readonly string[];
}

const NOTHING: LoadFigures = { requestsPerSecond: 0, bytesPerSecond: 0, watches: 0 };
/** A server lists fewer; more would exhaust the stack of who draws them. */
const MAX_ROWS = 1000;
const LINE = /^(total|path|session|address|user)\t([\d.]+)\t(\d+)\t(\d+)\t(.*)$/;

/** Not a word of Apache's servers. The total's name is its time in seconds. */
export const load = servingWord<ParsedLoad>({
  word: 'load',
  summary: 'Print the paths, sessions, addresses, and users with most requests, bytes, or watches',
  render: (view) => {
    const { seconds, total, rows } = view.load();
    const lines = [lineOf('total', total, String(seconds))];
    for (const row of rows) lines.push(lineOf(row.by, row, row.name));
    return lines.join('');
  },
  parse: (text) => {
    let seconds = 0;
    let total = NOTHING;
    const rows: LoadRow[] = [];
    const unknown: string[] = [];
    for (const line of linesOf(text)) {
      const [, kind, requests, bytes, watches, name = ''] = LINE.exec(line) ?? [];
      const figures = {
        requestsPerSecond: Number(requests),
        bytesPerSecond: Number(bytes),
        watches: Number(watches),
      };
      const by = LOAD_KINDS.find((each) => each === kind);
      if (by !== undefined && rows.length < MAX_ROWS) rows.push({ by, name, ...figures });
      else if (kind === 'total') [total, seconds] = [figures, Number(name)];
      else unknown.push(line);
    }
    return { seconds, total, rows, unknown };
  },
});

function lineOf(kind: string, figures: LoadFigures, name: string): string {
  const { requestsPerSecond, bytesPerSecond, watches } = figures;
  return `${kind}\t${requestsPerSecond}\t${bytesPerSecond}\t${watches}\t${safeLine(name)}\n`;
}
