import { hex64 } from '../protocol/zxid.js';
import { parseHex, parseInteger } from './base/java-number.js';
import { linesOf } from './base/lines.js';
import { NOT_SERVING, servingWord } from './base/word.js';

export interface ParsedHash {
  readonly digests: readonly { readonly zxid: bigint; readonly digest: bigint }[];
  readonly unknown: readonly string[];
}

export const hash = servingWord<ParsedHash>({
  word: 'hash',
  summary: 'Print digests of the tree, one every 128 txns',
  // The only word that prints this without a newline.
  notServing: NOT_SERVING,
  render: (view) =>
    view
      .digests()
      .map(({ zxid, digest }) => `${hex64(zxid)}: ${digest}\n`)
      .join(''),
  parse: (text) => {
    const digests: { zxid: bigint; digest: bigint }[] = [];
    const unknown: string[] = [];
    for (const line of linesOf(text)) {
      const [left = '', right = ''] = line.split(':');
      const zxid = parseHex(left.trim());
      const digest = parseInteger(right);
      if (zxid === undefined || digest === undefined) unknown.push(line);
      else digests.push({ zxid, digest });
    }
    return { digests, unknown };
  },
});
