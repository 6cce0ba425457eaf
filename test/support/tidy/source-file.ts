import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { blankText } from './blank-text.js';

/** The folder of package.json, relative to dist/test/support/tidy. */
export const PROJECT_ROOT = findRoot(fileURLToPath(new URL('.', import.meta.url)));

export interface Import {
  /** As in the source: `../jute/record.js`, `node:net`, `react`. */
  readonly specifier: string;
  /** The imported project file, as `src/jute/record.ts`, or undefined for a module. */
  readonly file: string | undefined;
  /** `import type`, which does not exist at run time. */
  readonly isTypeOnly: boolean;
  readonly line: number;
}

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /**
   * The text with comments, strings, and regular expressions blanked out, with the same offsets.
   */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** A complaint about a file: `path:line: sentence`. */
export type Complaint = string;

export function complain(file: SourceFile, line: number, sentence: string): Complaint {
  return `${file.path}:${line}: ${sentence}`;
}

/** Parses a source given as text. */
export function parseSource(path: string, text: string): SourceFile {
  const code = blankText(text);
  return { path, text, code, imports: findImports(path, text, code) };
}

/** All sources below `folder`, by path. */
export function readSources(folder: string, extension = /\.(?:tsx?|mjs)$/): SourceFile[] {
  return readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => extension.test(path))
    .sort()
    .map((path) => parseSource(path, readProjectFile(path)));
}

export function readProjectFile(path: string): string {
  return readFileSync(join(PROJECT_ROOT, path), 'utf8');
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** `import … from`, `export … from`, `import '…'` and `import('…')`. */
const SPECIFIER =
  /(?:\b(?:import|export)\s+(?<type>type\b)?[^;'"()]*\bfrom\s*|\bimport\s*\(?\s*)(['"])(?<text> *)\2/g;

function findImports(path: string, text: string, code: string): Import[] {
  return [...code.matchAll(SPECIFIER)].map((match) => {
    const end = match.index + match[0].length - 1;
    const { type, text: blanks = '' } = match.groups ?? {};
    const specifier = text.slice(end - blanks.length, end);
    return {
      specifier,
      file: resolve(path, specifier),
      isTypeOnly: type !== undefined,
      line: lineAt(text, end),
    };
  });
}

function resolve(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const compiled = posix.join(posix.dirname(from), specifier);
  return compiled.replace(/\.js$/, '.ts');
}

function findRoot(start: string): string {
  for (let folder = start; ; folder = join(folder, '..')) {
    if (readdirSync(folder).includes('package.json')) return folder;
  }
}
