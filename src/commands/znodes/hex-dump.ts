const RULE = '-------------------------------------------------';
const HEAD = `         +${RULE}+
         |  0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f |
+--------+${RULE}+----------------+
`;
const FOOT = `+--------+${RULE}+----------------+`;

/** The output of `get -x` in Apache's shell, without a final line end; "" for empty data. */
export function hexDump(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  let rows = '';
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const hex = row.toString('hex').replace(/../g, ' $&').padEnd(48);
    const chars = row
      .toString('latin1')
      .replace(/[^\x20-\x7e]/g, '.')
      .padEnd(16);
    rows += `|${at.toString(16).padStart(8, '0')}|${hex} |${chars}|\n`;
  }
  return `${HEAD}${rows}${FOOT}`;
}
