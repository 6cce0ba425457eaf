import type { Member } from '../../ensemble/member.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';

/** Several members get headings, as with head(1), even those without an answer. */
export function opsToRaw({ verb, members }: OpsResult): Buffer {
  const [word] = verb.words;
  const bytesOf = ({ answers }: Member): Buffer =>
    (word === undefined ? undefined : answers[word]?.bytes) ?? Buffer.alloc(0);
  const [only] = members;
  if (members.length === 1 && only !== undefined) return bytesOf(only);
  return Buffer.concat(
    members.flatMap((member, index) => {
      const bytes = bytesOf(member);
      const isEnded = bytes.length === 0 || bytes.at(-1) === 0x0a;
      return [
        Buffer.from(`${index === 0 ? '' : '\n'}==> ${member.server} <==\n`),
        bytes,
        Buffer.from(isEnded ? '' : '\n'),
      ];
    }),
  );
}
