// Reads manual pages as their macros say, mdoc(7) and man(7), for tests that hold a page against
// declarations. It shares no code with what makes the pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../fourlw/captured-view.js';

export interface ManualItem {
  /** The line of the term without its macro, as in `Fl -output Ar format`. */
  readonly term: string;
  /** What follows up to the next item, macros included. */
  readonly body: string;
}

export interface ManualPart {
  readonly heading: string;
  /** What stands in no item. */
  readonly text: string;
  readonly items: readonly ManualItem[];
}

/** The parts of `man/<name>`, by `.Sh` and `.Ss` or `.SH` and `.SS`. */
export function readManual(name: string): readonly ManualPart[] {
  const source = unescapeRoff(
    readFileSync(join(repositoryRoot(), 'man', name), 'utf8').replace(/^\.\\".*\n/gm, ''),
  );
  const [, ...parts] = source.split(/^\.S[HhSs] /m);
  return parts.map(readPart);
}

/** @throws Error when there is not exactly one of that heading */
export function partOf(page: readonly ManualPart[], heading: string): ManualPart {
  const found = page.filter((part) => part.heading === heading);
  const [part] = found;
  if (part === undefined || found.length > 1) throw new Error(`${found.length} parts ${heading}`);
  return part;
}

function readPart(source: string): ManualPart {
  const [heading = '', ...lines] = source.split('\n');
  const items: ManualItem[] = [];
  const text: string[] = [];
  let into = text;
  let take: string[] = [];
  const finish = () => {
    if (into === take) items.push({ term: take[0] ?? '', body: take.slice(1).join('\n').trim() });
  };
  for (const line of lines) {
    const isItem = line.startsWith('.It ') || line === '.TP';
    if (isItem || /^\.(El|PP|Pp)$/.test(line)) {
      finish();
      take = line.startsWith('.It ') ? [line.slice('.It '.length)] : [];
      into = isItem ? take : text;
    } else if (into === take && take.length === 0) take.push(line.replace(/^\.[BI] /, ''));
    else into.push(line);
  }
  finish();
  return { heading, text: text.join('\n').trim(), items };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '-': '-',
  e: '\\',
  // What an argument of a macro needs before its own escape.
  '\\': '\\',
  '&': '',
  '(aq': "'",
  '(dq': '"',
};

/** @throws Error for an escape that is none of the above, which would vanish from the page */
function unescapeRoff(source: string): string {
  return source.replace(/\\(\((?:aq|dq)|.)/g, (whole: string, name: string) => {
    const text = ESCAPES[name];
    if (text === undefined) throw new Error(`${whole} is no escape of these pages`);
    return text;
  });
}
