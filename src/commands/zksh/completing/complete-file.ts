import type { Found } from './complete.js';

/** Names of folders end in a slash. */
export type ListFiles = (folder: string) => Promise<readonly string[]>;

/** Lists hidden files only if the prefix starts with a dot. */
export async function completeFile(text: string, listFiles: ListFiles): Promise<Found> {
  const slash = text.lastIndexOf('/');
  const prefix = text.slice(0, slash + 1);
  const begun = text.slice(slash + 1);
  const names = await listFiles(prefix === '' ? '.' : prefix);
  const fitting = names
    .filter((name) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')))
    .sort();
  return {
    prefix,
    choices: fitting.map((name) => ({ name, isOpen: name.endsWith('/') })),
    areFiles: true,
  };
}
