import type { Found } from './complete.js';

/** A name in a local folder; a folder's own ends in a slash. */
export type ListFiles = (folder: string) => Promise<readonly string[]>;

/** What stands in a local folder and begins like the text; hidden files only when asked for. */
export async function completeFile(text: string, listFiles: ListFiles): Promise<Found> {
  const slash = text.lastIndexOf('/');
  const prefix = text.slice(0, slash + 1);
  const begun = text.slice(slash + 1);
  const names = await listFiles(prefix === '' ? '.' : prefix);
  const fitting = names
    .filter((name) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')))
    .sort();
  return { prefix, choices: fitting.map((name) => ({ name, isOpen: name.endsWith('/') })) };
}
