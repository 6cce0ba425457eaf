import { usageOf } from '../machine/declaration.js';
import { HELP_COLUMNS, optionRows, row, statusHelp } from '../machine/help-text.js';
import { EXIT_STATUSES } from '../program/exit-status.js';
import { wrap } from '../terminal/text-width.js';
import { ZKSH } from './zksh-declaration.js';

export function zkshHelp(): string {
  const parts = [
    `${wrap(`usage: ${usageOf(ZKSH)}`, HELP_COLUMNS, '            ')}\n\n${ZKSH.summary}`,
    wrap(ZKSH.description, HELP_COLUMNS, ''),
    `Arguments\n${Object.entries(ZKSH.args)
      .map(([name, { summary }]) => row(name, summary))
      .join('\n')}`,
    `Options\n${optionRows(ZKSH).join('\n')}`,
    `Examples\n${ZKSH.examples.map(({ line }) => `  ${line}`).join('\n')}`,
    statusHelp(EXIT_STATUSES.zksh),
    "zksh -c help lists the commands, zksh -c 'help get' explains one.",
  ];
  return `${parts.join('\n\n')}\n`;
}
