import { resolvePath } from './resolve-path.js';

export type ListChildren = (path: string) => Promise<readonly string[]>;

export interface PathChoices {
  /** The part of the text before the last name. */
  readonly prefix: string;
  readonly choices: readonly { readonly name: string; readonly isOpen: boolean }[];
}

/** A relative path stays relative; a znode with children gets a slash. */
export async function completePath(
  text: string,
  context: { readonly cwd: string; readonly listChildren: ListChildren },
): Promise<PathChoices> {
  const slash = text.lastIndexOf('/');
  const prefix = text.slice(0, slash + 1);
  const begun = text.slice(slash + 1);
  // `..` is a complete name; only a slash can follow.
  if (begun === '..') return { prefix, choices: [{ name: '../', isOpen: true }] };
  const folder = resolvePath(prefix === '' ? '.' : prefix, context.cwd);
  const children = await context.listChildren(folder);
  const names = children.filter((name) => name.startsWith(begun)).sort(byCodePoint);
  // Alone, such a name would be an option or a local file.
  const spell = (name: string) => (text === '' && /^[-@]/.test(name) ? `./${name}` : name);
  const [only] = names;
  if (only === undefined || names.length > 1) {
    return { prefix, choices: names.map((name) => ({ name: spell(name), isOpen: true })) };
  }
  const path = folder === '/' ? `/${only}` : `${folder}/${only}`;
  const hasChildren = await context.listChildren(path).then(
    (grandchildren) => grandchildren.length > 0,
    // Unreadable or deleted: the name is complete.
    () => false,
  );
  const choice = hasChildren
    ? { name: `${spell(only)}/`, isOpen: true }
    : { name: spell(only), isOpen: false };
  return { prefix, choices: [choice] };
}

/** The order of ls: UTF-16 units, independent of the locale. */
function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
