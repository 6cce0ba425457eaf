import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { makeCommands } from '../pages/page-examples.js';

/** A PATH that begins with the built programs, which are in `folder/bin`. */
export function programPath(folder: string): string {
  const bin = join(folder, 'bin');
  if (!existsSync(bin)) makeCommands(bin);
  return `${bin}${delimiter}${process.env['PATH']}`;
}
