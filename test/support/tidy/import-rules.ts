import { NOT_PURE, ORDER, PACKAGES, PURE, WALLS } from '../../import-rules.js';
import { type Complaint, complain, type Import, type SourceFile } from './source-file.js';

/** All folders and files of the order, the lowest first. */
export const FOLDERS: readonly string[] = ORDER.flatMap(([folder, parts]) =>
  parts.split(' ').map((part) => joinPath(folder, part)),
);

function joinPath(folder: string, part: string): string {
  if (part === '.') return folder;
  return part.startsWith('../')
    ? `${folder.replace(/\/[^/]+$/, '')}${part.slice(2)}`
    : `${folder}/${part}`;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function isWithinAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(path, folder));
}

/** The folder of the order that covers a file: the longest. */
export function folderOf(path: string): string | undefined {
  const covering = FOLDERS.filter((folder) => isWithin(path, folder));
  return covering.sort((a, b) => b.length - a.length)[0];
}

/** Whether the file decides without I/O. */
export function isPure(path: string): boolean {
  return isWithinAny(path, PURE) && !isWithinAny(path, NOT_PURE);
}

export function checkImports(file: SourceFile): Complaint[] {
  if (folderOf(file.path) === undefined)
    return [complain(file, 1, 'no folder of the order covers it')];
  return file.imports.flatMap((found) => {
    const fault = faultOf(file.path, found);
    return fault === undefined ? [] : [complain(file, found.line, fault)];
  });
}

function faultOf(path: string, { specifier, file }: Import): string | undefined {
  if (file === undefined) return moduleFault(path, specifier);
  if (!specifier.endsWith('.js')) return `${specifier} does not end in .js`;
  const [own = '', target] = [folderOf(path), folderOf(file)];
  if (target === undefined) return `${file} is outside the order`;
  if (FOLDERS.indexOf(target) > FOLDERS.indexOf(own)) return `${file} comes later in the order`;
  const wall = WALLS.find(
    ({ from, not, except }) =>
      isWithinAny(path, from) && isWithinAny(file, not) && !isWithinAny(file, [...except, own]),
  );
  return wall && `may not import ${file}: ${wall.why}`;
}

function moduleFault(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('node:')) {
    return isPure(path) ? `may not import ${specifier}: it decides without I/O` : undefined;
  }
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const homes = PACKAGES[name];
  if (homes === undefined) return `the package ${name} has no place in test/import-rules.ts`;
  if (isWithinAny(path, homes)) return undefined;
  return `${name} may be imported by ${homes.join(', ')} only`;
}

/** Names of the rules that no file or import needs. */
export function findUnusedRules(files: readonly SourceFile[]): string[] {
  const used = new Set(files.map(({ path }) => folderOf(path)));
  const imported = files.flatMap(({ path, imports }) =>
    imports.flatMap(({ file }) => (file === undefined ? [] : [[path, file] as const])),
  );
  const exceptions = WALLS.flatMap(({ from, except }) =>
    except.filter(
      (name) => !imported.some(([path, file]) => isWithinAny(path, from) && isWithin(file, name)),
    ),
  );
  return [...FOLDERS.filter((folder) => !used.has(folder)), ...exceptions];
}
