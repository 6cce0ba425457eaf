import type { OpsResult } from '../../ensemble/verdict/result.js';
import type { OpsTerminal } from '../../terminal/ops-terminal.js';
import type { ShowOptions } from '../calls/cli-world.js';
import { problemLines } from './ops-footnotes.js';
import { opsToJson, opsToJsonLines } from './ops-json.js';
import { opsToCsv, opsToPlain } from './ops-lines.js';
import { opsToNagios } from './ops-nagios.js';
import { opsToProm } from './ops-prom.js';
import { opsToRaw } from './ops-raw.js';
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
