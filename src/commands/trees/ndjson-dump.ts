import type { DumpPiece, DumpSyntax, DumpText } from './dump-syntax.js';
import { parseDumpLine } from './znode-record.js';

const NEWLINE = 0x0a;

/** One line for each part, for `jq` and `grep`. An interruption loses at most one line. */
export const ndjsonText: DumpText = {
  head: (fields) => JSON.stringify(fields),
  record: (fields) => JSON.stringify(fields),
  end: (fields) => JSON.stringify(fields),
};

export const ndjsonSyntax: DumpSyntax = {
  split: splitLines,
  parse: parseDumpLine,
  parseEnd: (tail) => {
    const line = /\n(\{"end":true,[^\n]*\})\n$/.exec(tail)?.[1];
    return line === undefined ? undefined : parseDumpLine(line);
  },
};

async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxLength: number,
): AsyncGenerator<DumpPiece> {
  const rest: Buffer[] = [];
  let [length, number, end] = [0, 0, 0];
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...rest.splice(0), chunk.subarray(start, at)]);
      number++;
      end += line.length + 1;
      yield { text: line.toString(), number, end, isWhole: true };
      length = 0;
      start = at + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > maxLength) throw new RangeError('line is too large for a znode');
  }
  const text = Buffer.concat(rest).toString();
  if (text !== '') yield { text, number: number + 1, end: end + length, isWhole: false };
}
