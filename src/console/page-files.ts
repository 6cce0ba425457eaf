import { existsSync, readFileSync } from 'node:fs';
import { usageError } from '../commands/program/command-error.js';

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const FILES = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/page.js', 'page.js', 'text/javascript; charset=utf-8'],
  ['/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/icon.svg', 'icon.svg', 'image/svg+xml'],
] as const;

/** Keyed by URL path. @throws CommandError if the package lacks them */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  return new Map(
    FILES.map(([path, name, type]) => {
      const file = findInPackage(`dist/bin/console/${name}`);
      if (file !== undefined) return [path, { type, bytes: readFileSync(file) }];
      throw usageError('the page of the console is missing: reinstall the package');
    }),
  );
}

/** The entries of docs/runbook.md, by the names of findings; without the file, none. */
export function readRunbook(): ReadonlyMap<string, string> {
  const file = findInPackage('docs/runbook.md');
  const text = file === undefined ? '' : readFileSync(file, 'utf8');
  const parts = text.split(/^#{2,3} /m).slice(1);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end).trim(), part.slice(end).trim()] as const;
    }),
  );
}

/** Sources, build, and bundle are at different depths of the package. */
function findInPackage(path: string): URL | undefined {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    const file = new URL(path, folder);
    if (existsSync(file)) return file;
    if (folder.pathname === '/') return undefined;
  }
}
