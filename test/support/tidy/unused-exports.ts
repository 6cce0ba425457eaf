import { type Complaint, complain, lineAt, type SourceFile } from './source-file.js';

const EXPORT = /^export (?:async )?(?:function\*?|const|class) +(?<name>\w+)/gm;
/** It names a record without using it. */
const TYPE_OF = /^export type \w+ = TypeOf<typeof \w+>;$/gm;

/**
 * Functions, constants, and classes of src that nobody needs: no other file of src names them, and
 * their own file does not use them (so they serve tests at most) or no test names them either.
 * A name that an importer uses for something else hides a fault.
 * @param exempt the registries, which are what programs and the package export
 */
export function findUnusedExports(
  src: readonly SourceFile[],
  others: readonly SourceFile[],
  exempt: readonly string[],
): Complaint[] {
  const inSrc = importersOf(src);
  const elsewhere = importersOf(others);
  return src
    .filter(({ path }) => !exempt.includes(path))
    .flatMap((file) => {
      const names = [...file.code.matchAll(EXPORT)];
      return names.flatMap(({ index, groups }) => {
        const name = groups?.['name'] ?? '';
        if (inSrc(file.path, name)) return [];
        const fault = faultOf(file, name, elsewhere(file.path, name));
        return fault === '' ? [] : [complain(file, lineAt(file.code, index), fault)];
      });
    });
}

function faultOf({ code }: SourceFile, name: string, isTested: boolean): string {
  const own = code.replace(TYPE_OF, '').match(new RegExp(`\\b${name}\\b`, 'g')) ?? [];
  if (own.length < 2) return `nobody in src uses ${name}`;
  return isTested ? '' : `nobody imports ${name}: remove its export`;
}

/** Whether a file that imports the path has the word. */
function importersOf(files: readonly SourceFile[]): (path: string, name: string) => boolean {
  const words = new Map<string, Set<string>>();
  for (const { imports, code } of files) {
    for (const { file } of imports) {
      if (file === undefined) continue;
      const known = words.get(bare(file)) ?? new Set();
      for (const word of code.match(/\w+/g) ?? []) known.add(word);
      words.set(bare(file), known);
    }
  }
  return (path, name) => words.get(bare(path))?.has(name) === true;
}

/** Imports name what TypeScript and JSX compile to. */
function bare(path: string): string {
  return path.replace(/\.tsx?$/, '');
}
