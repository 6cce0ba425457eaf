import { type Complaint, complain, type Import, type SourceFile } from './source-file.js';

/** The imports that one row of the table in ARCHITECTURE.md allows. */
export interface FolderRule {
  /** `src/server`, or one file: `src/server/main.ts`. The longest match for a file is its row. */
  readonly folder: string;
  readonly mayImport: readonly string[];
  /** Modules of Node: all, or the named ones. */
  readonly nodeModules: 'any' | readonly string[];
}

export interface ImportTable {
  readonly folders: readonly FolderRule[];
  /** npm package -> the files that may import it. `*` stands for any characters. */
  readonly homes: ReadonlyMap<string, readonly string[]>;
}

const FOLDER_HEADING = '| Folder |';
const HOME_HEADING = '| Package |';

/**
 * Reads both tables of ARCHITECTURE.md. Names are in backquotes, `nothing` means no folder, and a
 * cell `any` allows every module of Node.
 * @throws Error if a table is missing, or a row has too few cells
 */
export function parseImportTable(markdown: string): ImportTable {
  const folders = rowsBelow(markdown, FOLDER_HEADING, 3).map(([name, imports, modules]) => ({
    folder: namesIn(name)[0] ?? '',
    mayImport: namesIn(imports),
    nodeModules: modules?.trim() === 'any' ? ('any' as const) : namesIn(modules),
  }));
  const homes = rowsBelow(markdown, HOME_HEADING, 2).map(
    ([name, files]) => [namesIn(name)[0] ?? '', namesIn(files)] as const,
  );
  return { folders, homes: new Map(homes) };
}

function rowsBelow(markdown: string, heading: string, cellCount: number): string[][] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => line.startsWith(heading));
  if (start === -1) throw new Error(`no table begins with "${heading}"`);
  const rows: string[][] = [];
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith('|')) break;
    const cells = line.split('|').slice(1, -1);
    if (cells.length < cellCount) throw new Error(`"${line}" has too few cells`);
    rows.push(cells);
  }
  return rows;
}

function namesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

export function ruleOf(table: ImportTable, path: string): FolderRule | undefined {
  return table.folders
    .filter(({ folder }) => isWithin(path, folder))
    .sort((a, b) => b.folder.length - a.folder.length)[0];
}

export function checkImports(table: ImportTable, file: SourceFile): Complaint[] {
  const rule = ruleOf(table, file.path);
  if (rule === undefined) return [complain(file, 1, 'no row of the import table covers it')];
  return file.imports.flatMap((found) => {
    const fault = importFault(table, rule, file.path, found);
    return fault === undefined ? [] : [complain(file, found.line, fault)];
  });
}

function importFault(
  table: ImportTable,
  rule: FolderRule,
  path: string,
  { specifier, file }: Import,
): string | undefined {
  if (file === undefined) return moduleFault(table, rule, path, specifier);
  if (!specifier.endsWith('.js')) return `${specifier} does not end in .js`;
  const target = ruleOf(table, file);
  if (target === undefined) return `${file} is outside the import table`;
  const isAllowed =
    target === rule || rule.mayImport.some((allowed) => isAllowedBy(allowed, file, target));
  return isAllowed ? undefined : `${rule.folder} may not import ${file}`;
}

/** A named folder stands for its own row only: `src/server` does not include src/server/node. */
function isAllowedBy(allowed: string, file: string, target: FolderRule): boolean {
  return isWithin(file, allowed) && target.folder.length <= allowed.length;
}

function moduleFault(
  table: ImportTable,
  rule: FolderRule,
  path: string,
  specifier: string,
): string | undefined {
  if (specifier.startsWith('node:')) {
    const isAllowed = rule.nodeModules === 'any' || rule.nodeModules.includes(specifier);
    return isAllowed ? undefined : `${rule.folder} may not import ${specifier}`;
  }
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const homes = table.homes.get(name);
  if (homes === undefined) return `the package ${name} has no home in the import table`;
  if (homes.some((pattern) => matches(path, pattern))) return undefined;
  return `${name} may be imported by ${homes.join(', ')} only`;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function matches(path: string, pattern: string): boolean {
  const source = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`).test(path);
}

/**
 * Import cycles, each once, as `a -> b -> a`. Type imports do not count, because they do not exist
 * at run time.
 */
export function findCycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) cycles.push([...trail.slice(start), path].join(' -> '));
    if (start !== -1 || done.has(path)) return;
    const imports = byPath.get(path)?.imports.filter(({ isTypeOnly }) => !isTypeOnly) ?? [];
    for (const next of knownFiles(byPath, imports)) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return cycles;
}

/**
 * Rows that allow a later row, as `src/a: src/b`. Without them, rows cannot be circular, and each
 * row needs only the rows above it. Type imports count.
 */
export function findDoorsDown({ folders }: ImportTable): string[] {
  return folders.flatMap(({ folder, mayImport }, place) =>
    mayImport
      .filter((allowed) => placeOf(folders, allowed) >= place)
      .map((allowed) => `${folder}: ${allowed}`),
  );
}

/** The folder of the row that covers a path. */
function placeOf(folders: readonly FolderRule[], path: string): number {
  const covering = folders.filter(({ folder }) => isWithin(path, folder));
  const [nearest] = covering.sort((a, b) => b.folder.length - a.folder.length);
  return nearest === undefined ? -1 : folders.indexOf(nearest);
}

/** Allowed imports that no file of the row uses, as `src/a: src/b`. */
export function findUnusedDoors(table: ImportTable, files: readonly SourceFile[]): string[] {
  const used = new Map<string, string[]>();
  for (const { path, imports } of files) {
    const folder = ruleOf(table, path)?.folder ?? '';
    const list = used.get(folder) ?? [];
    for (const { file } of imports) if (file !== undefined) list.push(file);
    used.set(folder, list);
  }
  return table.folders.flatMap(({ folder, mayImport }) =>
    mayImport
      .filter((allowed) => !used.get(folder)?.some((file) => isAllowedIn(table, allowed, file)))
      .map((allowed) => `${folder}: ${allowed}`),
  );
}

function isAllowedIn(table: ImportTable, allowed: string, file: string): boolean {
  const target = ruleOf(table, file);
  return target !== undefined && isAllowedBy(allowed, file, target);
}

/** The files that no entry reaches. */
export function findUnreachable(
  files: readonly SourceFile[],
  entries: readonly string[],
): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const queue = [...entries];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    queue.push(...knownFiles(byPath, byPath.get(path)?.imports ?? []));
  }
  return files.map(({ path }) => path).filter((path) => !reached.has(path));
}

function knownFiles(byPath: ReadonlyMap<string, SourceFile>, imports: readonly Import[]): string[] {
  return imports.flatMap(({ file }) => {
    if (file === undefined) return [];
    const found = [file, file.replace(/\.ts$/, '.tsx')].find((name) => byPath.has(name));
    return found === undefined ? [] : [found];
  });
}
