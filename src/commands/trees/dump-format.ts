// Readers and writers of dumps keep at most one part and one chunk in memory.
import type { DumpSyntax, DumpText } from './dump-syntax.js';
import { jsonSyntax, jsonText } from './json-dump.js';
import { ndjsonSyntax, ndjsonText } from './ndjson-dump.js';

/** A folder has an ndjson file and separate data files. */
export type FileFormat = 'ndjson' | 'json' | 'yaml';
export type DumpFormat = FileFormat | 'dir';
export const DUMP_FORMATS: readonly DumpFormat[] = ['ndjson', 'json', 'yaml', 'dir'];

export const FORMAT_OPTION = {
  format: {
    kind: 'text',
    choices: DUMP_FORMATS,
    valueName: 'FORMAT',
    summary: 'the format of the dump; default: detected',
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
    // Report a cut line as an error of the ndjson format.
    return /"znodes"|^\s*\{\s*$/.test(beginning.slice(0, end)) ? 'json' : 'ndjson';
  }
}
