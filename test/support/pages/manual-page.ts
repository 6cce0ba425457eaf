// Parses the macros of manual pages, mdoc(7) and man(7), so that tests can compare pages with
// declarations. It shares no code with the generator of the pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../fourlw/captured-view.js';

export interface ManualItem {
  /** The line of the term without its macro, as in `Fl -output Ar format`. */
  readonly term: string;
  /** The text up to the next item, including macros. */
  readonly body: string;
}

export interface ManualPart {
  readonly heading: string;
  /** The text outside of items. */
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

/** @throws Error unless exactly one part has that heading */
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
  // Macro arguments have a further escape of their own.
  '\\': '\\',
  '&': '',
  '(aq': "'",
  '(dq': '"',
};

/** @throws Error for an escape not listed above, which would vanish from the page */
function unescapeRoff(source: string): string {
  return source.replace(/\\(\((?:aq|dq)|.)/g, (whole: string, name: string) => {
    const text = ESCAPES[name];
    if (text === undefined) throw new Error(`${whole} is not an escape of these pages`);
    return text;
  });
}
