import { parseInteger } from './base/java-number.js';
import { linesOf } from './base/lines.js';
import { servingWord } from './base/word.js';

export interface ParsedDirs {
  /** Bytes. */
  readonly dataDirSize: bigint | undefined;
  readonly logDirSize: bigint | undefined;
  readonly unknown: readonly string[];
}

export const dirs = servingWord<ParsedDirs>({
  word: 'dirs',
  summary: 'Print the sizes of the snapshot folder and the log folder in bytes',
  render: (view) => {
    const { dataDirSize, logDirSize } = view.dirs();
    return `datadir_size: ${dataDirSize}\nlogdir_size: ${logDirSize}\n`;
  },
  parse: (text) => {
    let dataDirSize: bigint | undefined;
    let logDirSize: bigint | undefined;
    const unknown: string[] = [];
    for (const line of linesOf(text)) {
      // ClickHouse Keeper's names are accepted in addition to Apache's.
      const match = /^(datadir|snapshot_dir|logdir|log_dir)_size:\s*(\d+)\s*$/.exec(line);
      if (match === null) unknown.push(line);
      else if (match[1]?.startsWith('log')) logDirSize = parseInteger(match[2] ?? '');
      else dataDirSize = parseInteger(match[2] ?? '');
    }
    return { dataDirSize, logDirSize, unknown };
  },
});
