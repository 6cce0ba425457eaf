import { fault, isRecord, readConfig } from '../connecting/profiles.js';
import { checkAlias } from './engine/aliases.js';
import type { CommandTable } from './engine/command.js';

/** Empty without a configuration file. @throws CommandError USAGE with the problem and its place */
export async function readAliases(
  file: string,
  commands: CommandTable,
): Promise<ReadonlyMap<string, string>> {
  const given = (await readConfig(file))['aliases'] ?? {};
  if (!isRecord(given)) throw fault(`${file}: "aliases" is not an object`);
  const aliases = new Map<string, string>();
  for (const [name, line] of Object.entries(given)) {
    const why =
      typeof line === 'string'
        ? await checkAlias(name, line, commands)
        : `alias "${name}" is not a string`;
    if (why !== undefined) throw fault(`${file}: ${why}`);
    aliases.set(name, String(line));
  }
  return aliases;
}

/** A shell command, or false to turn paging off. @throws CommandError USAGE */
export async function readPager(file: string): Promise<boolean | string | undefined> {
  const pager = (await readConfig(file))['pager'];
  if (pager === undefined || typeof pager === 'boolean' || typeof pager === 'string') return pager;
  throw fault(`${file}: invalid "pager" (expected true, false, or a command)`);
}

export async function readPromptRole(file: string): Promise<boolean> {
  const isShown = (await readConfig(file))['prompt-role'] ?? true;
  if (typeof isShown === 'boolean') return isShown;
  throw fault(`${file}: invalid "prompt-role" (expected true or false)`);
}

/** Whether the keys of the prompt are those of vi. @throws CommandError USAGE */
export async function readIsVi(file: string): Promise<boolean> {
  const mode = (await readConfig(file))['editing-mode'] ?? 'emacs';
  if (mode === 'vi' || mode === 'emacs') return mode === 'vi';
  throw fault(`${file}: invalid "editing-mode" (expected "emacs" or "vi")`);
}
