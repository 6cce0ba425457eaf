// The formats of a dump: how each writes its parts, and takes a file apart into them again. Neither
// ever has more of it in memory than a part and a chunk.
import type { DumpSyntax, DumpText } from './dump-syntax.js';
import { jsonSyntax, jsonText } from './json-dump.js';
import { ndjsonSyntax, ndjsonText } from './ndjson-dump.js';

/** What a file may hold; a folder holds a file of lines, and the data beside it. */
export type FileFormat = 'ndjson' | 'json' | 'yaml';
export type DumpFormat = FileFormat | 'dir';
export const DUMP_FORMATS: readonly DumpFormat[] = ['ndjson', 'json', 'yaml', 'dir'];

/** For commands that read dumps. */
export const FORMAT_OPTION = {
  format: {
    kind: 'text',
    choices: DUMP_FORMATS,
    valueName: 'FORMAT',
    summary: 'how the dump is written; default: what it looks like',
  },
} as const;

interface DumpFormatParts {
  readonly text: DumpText;
  readonly syntax: DumpSyntax;
}

export async function formatParts(format: FileFormat): Promise<DumpFormatParts> {
  switch (format) {
    case 'ndjson':
      return { text: ndjsonText, syntax: ndjsonSyntax };
    case 'json':
      return { text: jsonText, syntax: jsonSyntax };
    case 'yaml': {
      const { yamlSyntax, yamlText } = await import('./yaml-dump.js');
      return { text: yamlText, syntax: yamlSyntax };
    }
  }
}

/** Which format a file begins like. */
export function guessFormat(beginning: string): FileFormat {
  if (/^(---|#|%|\.\.\.|zkshDump\s*:)/.test(beginning)) return 'yaml';
  if (!/^\s*\{/.test(beginning)) return 'ndjson';
  const end = beginning.indexOf('\n');
  if (end === -1) return 'json';
  try {
    const first: unknown = JSON.parse(beginning.slice(0, end));
    const isWhole = typeof first === 'object' && first !== null && 'znodes' in first;
    return isWhole && !('end' in first && first.end === true) ? 'json' : 'ndjson';
  } catch {
    // A line of lines that is cut is faulty in that format, and so said.
    return /"znodes"|^\s*\{\s*$/.test(beginning.slice(0, end)) ? 'json' : 'ndjson';
  }
}
