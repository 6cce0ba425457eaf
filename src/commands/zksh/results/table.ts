import type { Stat } from '../../../protocol/data.js';
import { formatPerms } from '../../../protocol/perms.js';
import { plainLine, safeLine } from '../../../protocol/sanitize.js';
import { framedTable } from '../../terminal/framed-table.js';
import { statFields } from '../../znodes/stat-lines.js';
import { cellOf, drawFitting, titleOf } from './aligned-rows.js';
import type { RenderOptions } from './render.js';
import type { Result } from './result.js';
import { mapStrings, resultToText, underHeading } from './text.js';

/** Undefined selects the text form. */
export function resultToTable(given: Result, options: RenderOptions): string | undefined {
  // Nested results and data are escaped later.
  const isWhole = given.kind === 'of-path' || given.kind === 'data';
  const result = isWhole ? given : mapStrings(given, options.isTerminal ? safeLine : plainLine);
  switch (result.kind) {
    case 'children':
      return `${framedTable(
        ['child'],
        result.children.map((name) => [name]),
      )}${statTable(result.stat)}`;
    case 'paths':
      return framedTable(
        ['path'],
        result.paths.map((path) => [path]),
      );
    case 'data': {
      const { stat, ...bare } = result;
      const value = resultToText(bare, options).toString().replace(/\n$/, '');
      return framedTable(
        ['field', 'value'],
        [
          ['path', options.isTerminal ? safeLine(result.path) : plainLine(result.path)],
          ['data', value],
          ...(stat === undefined ? [] : statFields(stat)),
        ],
      );
    }
    case 'stat':
      return statTable(result.stat);
    case 'changed':
      return result.isStatShown ? statTable(result.stat) : undefined;
    case 'acl':
      return `${framedTable(
        ['scheme', 'id', 'perms'],
        result.acl.map(({ id, perms }) => [id.scheme, id.id, formatPerms(perms)]),
      )}${statTable(result.stat)}`;
    case 'identities':
      return framedTable(
        ['scheme', 'user'],
        result.identities.map(({ authScheme, user }) => [authScheme, user]),
      );
    case 'rows':
      return drawFitting(result.columns, result.rows, widthOf(options), (columns) =>
        framedTable(
          columns.map(titleOf),
          result.rows.map((row) => columns.map((each) => cellOf(each, row, options.isTerminal))),
        ),
      );
    case 'of-path': {
      const shown =
        resultToTable(result.result, options) ?? resultToText(result.result, options).toString();
      return underHeading(result, options, shown).toString();
    }
    default:
      return undefined;
  }
}

function statTable(stat: Stat | undefined): string {
  return stat === undefined ? '' : framedTable(['field', 'value'], statFields(stat));
}

/** Output to a file or a pipe has every column. */
function widthOf({ isTerminal, columns }: RenderOptions): number {
  return isTerminal ? (columns?.() ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
}
