import { EXIT_STATUSES } from '../program/exit-status.js';
import { wrap } from '../terminal/text-width.js';
import { usageOf } from './engine/command.js';
import { HELP_COLUMNS, optionRows, row } from './engine/help-text.js';
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
    `Exit status\n${EXIT_STATUSES.zksh.map(([code, text]) => `  ${String(code).padEnd(5)}${text}`).join('\n')}`,
    "zksh -c help lists the commands, zksh -c 'help get' explains one.",
  ];
  return `${parts.join('\n\n')}\n`;
}
