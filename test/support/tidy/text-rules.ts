import { posix } from 'node:path';
import { type Complaint, complain, lineAt, type SourceFile } from './source-file.js';

export const MAX_COLUMNS = 100;

/** kebab-case, with any number of dotted endings: `run-line.ts`, `snapshot.test.ts`. */
export function checkName({ path }: { readonly path: string }): Complaint[] {
  const faulty = path.split('/').filter((part) => !/^\.?[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(part));
  return faulty.map((part) => `${path}: "${part}" is not kebab-case`);
}

/**
 * Comments stay within 100 columns. Biome limits the lines of code, except for strings that it
 * cannot break.
 */
export function checkColumns(file: SourceFile): Complaint[] {
  const codeLines = file.code.split('\n');
  return file.text.split('\n').flatMap((line, i) => {
    const isComment = (codeLines[i] ?? '').trim() === '' && /^\s*(?:\/\/|\/?\*)/.test(line);
    if (!isComment || line.length <= MAX_COLUMNS) return [];
    return [complain(file, i + 1, `${line.length} columns`)];
  });
}

/** Only in-background.ts may leave a promise, because it handles the rejection. */
export function checkVoid(file: SourceFile): Complaint[] {
  return [...file.code.matchAll(/^[ \t]*(?:else |if \(.*\) )?(void [\w#(])/gm)].map((match) =>
    complain(file, lineAt(file.text, match.index), 'void: use inBackground()'),
  );
}

/** Words that mark unfinished work, and names of one machine or one registry. */
const FORBIDDEN_TEXT: readonly (readonly [pattern: RegExp, why: string])[] = [
  // The rule itself contains these marks.
  [/\b(?:FIXME|XXX|HACK|TODO)\b/, 'marks unfinished work'],
  [/(?<![\w.])\/(?:home\/\w+|Users\/\w+|root)\/\w/, 'is a path of one machine'],
  [/\b[A-Za-z]:\\\\?Users\b/, 'is a path of one machine'],
  [/\bregistry\.(?:npmjs|yarnpkg|npmmirror)\b|_authToken|"resolved":/, 'names a registry'],
  [/@ts-(?:ignore|nocheck|expect-error)/, 'silences the compiler'],
];

/** @param root the folder of the project on this machine, which no file may contain */
export function checkText(path: string, text: string, root: string): Complaint[] {
  const here = new RegExp(`${root.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b`);
  const rules = [...FORBIDDEN_TEXT, [here, 'is a path of one machine'] as const];
  return text.split('\n').flatMap((line, i) =>
    rules.flatMap(([pattern, why]) => {
      const found = pattern.exec(line)?.[0];
      return found === undefined ? [] : [`${path}:${i + 1}: "${found}" ${why}`];
    }),
  );
}

/** A `biome-ignore` needs a sentence with the reason. */
export function checkIgnores(file: SourceFile): Complaint[] {
  return [...file.text.matchAll(/(?:\/\/|\/\*)\s*biome-ignore[^\n]*/g)].flatMap((match) => {
    const reason = /biome-ignore(?:-\w+)? \S+: (.*)/.exec(match[0])?.[1] ?? '';
    const isReason = reason.split(' ').length >= 3;
    const line = lineAt(file.text, match.index);
    return isReason ? [] : [complain(file, line, 'biome-ignore without a reason')];
  });
}

/** Only registries and the package's entries may re-export. */
export function checkBarrel(file: SourceFile, registries: readonly string[]): Complaint[] {
  if (registries.includes(file.path)) return [];
  if (/^index\.tsx?$/.test(posix.basename(file.path))) {
    return [complain(file, 1, 'an index file that is not a registry')];
  }
  return [...file.code.matchAll(/^export\s+(?:type\s+)?(?:\*|\{[^}]*\})[^;'"]*\bfrom\b/gm)].map(
    (match) => complain(file, lineAt(file.code, match.index), 're-exports from another file'),
  );
}

/** Names that bring in time, randomness, waiting, and the process. */
const IMPURE = new RegExp(
  [
    /(?<![.\w$])(?:async|await|yield\s+await)\b/,
    /(?<![.\w$])(?:Promise|Date|performance|globalThis|console|fetch|queueMicrotask)\b/,
    /(?<![.\w$])(?:setTimeout|setInterval|setImmediate|clearTimeout|clearInterval)\b/,
    /(?<![.\w$])process\s*[.[]/,
    /\bMath\s*\.\s*random\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** The pure server receives time, packets, and randomness as events, and may use none of these. */
export function checkPurity(file: SourceFile): Complaint[] {
  return [...file.code.matchAll(IMPURE)].map((match) =>
    complain(
      file,
      lineAt(file.code, match.index),
      `${match[0].trim()} is not allowed in pure code`,
    ),
  );
}
