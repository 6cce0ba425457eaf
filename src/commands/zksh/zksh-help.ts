import { wrap } from '../terminal/text-width.js';
import { usageOf } from './engine/command.js';
import { HELP_COLUMNS, optionRows, row } from './engine/help-text.js';
import { ZKSH } from './zksh-options.js';

/** What each code that zksh can end with means; zksh(1) has the same list. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'all went well'],
  [1, 'an operation failed in another way than these'],
  [2, 'wrong usage: nothing was sent'],
  [3, 'no connection, or no answer in time'],
  [4, 'a znode does not exist'],
  [5, 'a znode exists already'],
  [6, 'a znode has children'],
  [7, 'a znode has another version'],
  [8, 'not permitted by an ACL'],
  [9, 'done in part'],
  [127, 'unknown command'],
  [130, 'interrupted'],
  [141, 'the reader of the output closed the pipe'],
];

/** What --help prints. */
export function zkshHelp(): string {
  const { connect } = ZKSH.args;
  const parts = [
    `${wrap(`usage: ${usageOf(ZKSH)}`, HELP_COLUMNS, '            ')}\n\n${ZKSH.summary}`,
    wrap(ZKSH.description, HELP_COLUMNS, ''),
    `Arguments\n${row('connect', connect.summary)}`,
    `Options\n${optionRows(ZKSH).join('\n')}`,
    `Examples\n${ZKSH.examples.map(({ line }) => `  ${line}`).join('\n')}`,
    `Exit codes\n${EXIT_CODES.map(([code, text]) => `  ${String(code).padEnd(5)}${text}`).join('\n')}`,
    "zksh -c help lists the commands, zksh -c 'help get' explains one.",
  ];
  return `${parts.join('\n\n')}\n`;
}
