import { readFileSync } from 'node:fs';
import { UsageError } from '../commands/ensemble/usage-error.js';

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

/** Keyed by URL path. @throws UsageError if the package lacks them */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  // Sources, build, and bundle are at different depths of the package.
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    try {
      const base = new URL('dist/bin/console/', folder);
      return new Map(
        FILES.map(([path, name, type]) => [
          path,
          { type, bytes: readFileSync(new URL(name, base)) },
        ]),
      );
    } catch (cause) {
      if (folder.pathname !== '/') continue;
      throw new UsageError('the page of the console is missing: reinstall the package', undefined, {
        cause,
      });
    }
  }
}
