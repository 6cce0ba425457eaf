// Runs the commands of one section of a page, block by block, on the machine of the operator.
import { readProjectFile } from '../support/tidy/source-file.js';
import type { Machines } from './machines.js';

export interface Block {
  readonly script: string;
  /** From the fence: ```sh exit=2 */
  readonly status: number;
}

/** The shell blocks below a heading, up to the next heading of its level. */
export function blocksBelow(page: string, heading: string): Block[] {
  const text = readProjectFile(page);
  const [, section] = text.split(new RegExp(`^## ${heading}\\n`, 'm'));
  if (section === undefined) throw new Error(`${page} has no section "${heading}"`);
  const [own = ''] = section.split(/^## /m);
  return [...own.matchAll(/^```sh(?: exit=(\d))?\n([\s\S]*?)^```$/gm)].map(
    ([, status = '0', script = '']) => ({ script, status: Number(status) }),
  );
}

/** @throws Error with the block, its output, and the logs, when it ends with another status */
export async function play(
  machines: Machines,
  block: Block | undefined,
  change = (text: string) => text,
): Promise<string> {
  if (block === undefined) throw new Error('the section has fewer blocks');
  const script = change(block.script);
  const { status, output } = await machines.run('ops', script);
  if (status === block.status) return output;
  let logs = '';
  for (const name of machines.names) {
    const journal = await machines.run(name, 'sudo journalctl --no-pager -n 20 -u "z*"');
    logs += `${name}:\n${journal.output}\n`;
  }
  throw new Error(`exit status ${status} of:\n${script}\n${output}\n${logs}`);
}

export async function playAll(machines: Machines, page: string, heading: string): Promise<string> {
  let output = '';
  for (const block of blocksBelow(page, heading)) output += await play(machines, block);
  return output;
}
