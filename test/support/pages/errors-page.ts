import type { SourceFile } from '../tidy/source-file.js';

/**
 * docs/errors.md: the text of every error in the source, on one page. `npm run errors` writes it,
 * and test/docs.test.ts compares it.
 */

/** Calls that make an error from a text. */
const MAKERS =
  /\b(?:new [A-Z]\w*(?:Error|Fault)|(?:usage|partial|closed|end|connect|verb|quoted)Error|(?:run|cli|java)Fault|badFile|unusable|refuse|fail)\(/g;

const HEAD = `# Errors

The text of every error in the source, by the folder that raises it. \`{…}\` stands for a value. \`npm run errors\` writes
this page.
`;

export function errorsPage(files: readonly SourceFile[]): string {
  const byFolder = new Map<string, Set<string>>();
  for (const file of files) {
    const texts = textsOf(file);
    const folder = file.path.slice(0, file.path.lastIndexOf('/'));
    for (const text of texts) {
      const known = byFolder.get(folder) ?? new Set();
      byFolder.set(folder, known.add(text));
    }
  }
  const sections = [...byFolder].map(
    ([folder, texts]) => `\n## ${folder}\n\n${[...texts].map((text) => `- ${text}\n`).join('')}`,
  );
  return HEAD + sections.join('');
}

function textsOf(file: SourceFile): string[] {
  return [...file.code.matchAll(MAKERS)].flatMap(({ 0: call, index }) => {
    const start = index + call.length;
    return literalsIn(file, start, endOf(file.code, start));
  });
}

/** The closing parenthesis of the call that opens before `start`. */
function endOf(code: string, start: number): number {
  let depth = 1;
  let at = start;
  for (; at < code.length && depth > 0; at++) {
    if (/[([{]/.test(code.charAt(at))) depth++;
    else if (/[)\]}]/.test(code.charAt(at))) depth--;
  }
  return at;
}

/**
 * The literals that are sentences: a code such as 'EDATA' and a name such as 'path' have no blank.
 */
function literalsIn({ code, text }: SourceFile, start: number, end: number): string[] {
  const found: string[] = [];
  for (let at = start; at < end; at++) {
    const quote = code.charAt(at);
    if (quote !== "'" && quote !== '"' && quote !== '`') continue;
    const close = quote === '`' ? endOfTemplate(code, at) : code.indexOf(quote, at + 1);
    const literal = text.slice(at + 1, close);
    const sentence = shown(code.slice(at + 1, close), literal);
    if (/[a-z]{2} [a-z]/i.test(sentence)) found.push(sentence);
    at = close;
  }
  return found;
}

function endOfTemplate(code: string, start: number): number {
  let depth = 0;
  for (let at = start + 1; at < code.length; at++) {
    if (code.startsWith('${', at)) depth++;
    else if (code.charAt(at) === '}' && depth > 0) depth--;
    else if (code.charAt(at) === '`' && depth === 0) return at;
  }
  return code.length;
}

/** The literal as Markdown, with `{…}` for each substitution. */
function shown(code: string, literal: string): string {
  let result = '';
  let depth = 0;
  for (let at = 0; at < literal.length; at++) {
    if (code.startsWith('${', at)) {
      if (depth === 0) result += '{…}';
      depth++;
      at++;
    } else if (depth > 0) {
      if (code.charAt(at) === '{') depth++;
      else if (code.charAt(at) === '}') depth--;
    } else result += literal.charAt(at);
  }
  return result
    .replaceAll('\\n', ' ')
    .replaceAll("\\'", "'")
    .replace(/[<>*_[\]]/g, '\\$&')
    .replace(/\s+/g, ' ')
    .trim();
}
