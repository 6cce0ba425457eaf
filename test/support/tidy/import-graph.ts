import type { Import, SourceFile } from './source-file.js';

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
