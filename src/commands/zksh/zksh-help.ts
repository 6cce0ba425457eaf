import { wrap } from '../terminal/text-width.js';
import { usageOf } from './engine/command.js';
import { HELP_COLUMNS, optionRows, row } from './engine/help-text.js';
import { ZKSH } from './zksh-declaration.js';

/** zksh(1) has the same list. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'success'],
  [1, 'another failure'],
  [2, 'invalid command line; zksh sent no request'],
  [3, 'no connection, or no answer in time'],
  [4, 'a znode does not exist'],
  [5, 'a znode already exists'],
  [6, 'a znode has children'],
  [7, 'a znode has another version'],
  [8, 'an ACL denies permission'],
  [9, 'partly done'],
  [127, 'unknown command'],
  [130, 'interrupted'],
  [141, 'the reader of the output closed the pipe'],
];

export function zkshHelp(): string {
  const parts = [
    `${wrap(`usage: ${usageOf(ZKSH)}`, HELP_COLUMNS, '            ')}\n\n${ZKSH.summary}`,
    wrap(ZKSH.description, HELP_COLUMNS, ''),
    `Arguments\n${Object.entries(ZKSH.args)
      .map(([name, { summary }]) => row(name, summary))
      .join('\n')}`,
    `Options\n${optionRows(ZKSH).join('\n')}`,
    `Examples\n${ZKSH.examples.map(({ line }) => `  ${line}`).join('\n')}`,
    `Exit status\n${EXIT_CODES.map(([code, text]) => `  ${String(code).padEnd(5)}${text}`).join('\n')}`,
    "zksh -c help lists the commands, zksh -c 'help get' explains one.",
  ];
  return `${parts.join('\n\n')}\n`;
}
