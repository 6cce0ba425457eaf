import { readFileSync } from 'node:fs';
import { hasCode } from './file-error.js';

/** package.json is above this file in the sources and in the build. */
export function packageVersion(): string {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    try {
      const text = readFileSync(new URL('package.json', folder), 'utf8');
      const { name, version } = JSON.parse(text) as { name?: string; version?: string };
      if (name === 'zksh' && version !== undefined) return version;
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    if (folder.pathname === '/') return 'unknown';
  }
}
