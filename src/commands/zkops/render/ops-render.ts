import type { Member } from '../../ensemble/member.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';
import type { OpsTerminal } from '../../terminal/ops-terminal.js';
import type { ShowOptions } from '../calls/cli-world.js';
import { problemLines } from './ops-footnotes.js';
import { opsToJson, opsToJsonLines } from './ops-json.js';
import { opsToCsv, opsToPlain } from './ops-lines.js';
import { opsToNagios } from './ops-nagios.js';
import { opsToProm } from './ops-prom.js';
import { opsToTable } from './ops-table.js';

/** "" where -q prints nothing. */
export function renderOps(
  result: OpsResult,
  show: ShowOptions,
  terminal: OpsTerminal,
): string | Buffer {
  if (show.isQuiet) return problemLines(result);
  switch (show.output) {
    case 'table':
      return opsToTable(result, show, terminal);
    case 'json':
      return opsToJson(result, show);
    case 'ndjson':
      return opsToJsonLines(result, show);
    case 'csv':
      return opsToCsv(result, show);
    case 'plain':
      return opsToPlain(result, show);
    case 'raw':
      return opsToRaw(result);
    case 'nagios':
      return opsToNagios(result);
    case 'prom':
      return opsToProm(result);
  }
}

/** Several members get headings, as with head(1), even those without an answer. */
function opsToRaw({ verb, members }: OpsResult): Buffer {
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
