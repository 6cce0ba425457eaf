// --select and --template of zksh and zkops: they read the JSON that a renderer wrote.
import { safeJson, safeLine } from '../../protocol/sanitize.js';
import { type Json, parseSelection, type Selection, SelectionError } from './parse-selection.js';

export interface Shape {
  /** Undefined selects everything. */
  readonly select?: string | undefined;
  /** One line for each row, such as `{path} {stat.version}`. */
  readonly template?: string | undefined;
}

/** Shapes one JSON document, or several with one on each line. Each result ends in a newline. */
export type ShapeJson = (text: string) => string;

/** @param indent of a selected document; 0 for JSON Lines @throws RangeError that says where */
export function makeShape({ select, template }: Shape, indent: number): ShapeJson {
  const selection: Selection =
    select === undefined ? (input) => [input] : naming('--select', () => parseSelection(select));
  const line =
    template === undefined ? undefined : naming('--template', () => parseTemplate(template));
  const print = (value: Json): string => {
    if (line === undefined) return `${safeJson(JSON.stringify(value, null, indent))}\n`;
    const rows: readonly Json[] = Array.isArray(value) ? value : [value];
    return rows.map(line).join('');
  };
  return (text) =>
    documentsOf(text, indent)
      .flatMap((document) => selection(document))
      .map(print)
      .join('');
}

function naming<Value>(option: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error;
    throw new RangeError(`${option}: ${error.message}`, { cause: error });
  }
}

function documentsOf(text: string, indent: number): readonly Json[] {
  if (text === '') return [];
  const texts = indent === 0 ? text.trimEnd().split('\n') : [text];
  return texts.map((each) => JSON.parse(each) as Json);
}

/** "" for a row without any of the fields. @throws SelectionError */
function parseTemplate(template: string): (row: Json) => string {
  const parts: (string | Selection)[] = [];
  let text = '';
  for (let at = 0; at < template.length; at++) {
    const pair = template.slice(at, at + 2);
    const sign = Object.hasOwn(ESCAPES, pair) ? ESCAPES[pair] : undefined;
    if (sign !== undefined) {
      text += sign;
      at++;
    } else if (template[at] === '{') {
      const end = template.indexOf('}', at);
      if (end === -1) throw new SelectionError(template, at, '} after the name');
      parts.push(text, fieldOf(template, at + 1, end));
      text = '';
      at = end;
    } else if (template[at] === '}') {
      throw new SelectionError(template, at, '}} for a brace');
    } else text += template[at];
  }
  parts.push(text);
  return (row) => fill(parts, row);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '{{': '{',
  '}}': '}',
  '\\t': '\t',
  '\\n': '\n',
  '\\\\': '\\',
};

/** The path may begin without its dot. */
function fieldOf(template: string, start: number, end: number): Selection {
  const path = template.slice(start, end).trim();
  try {
    return parseSelection(path.startsWith('.') ? path : `.${path}`);
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error;
    throw new SelectionError(template, start, 'a path such as {stat.version}');
  }
}

function fill(parts: readonly (string | Selection)[], row: Json): string {
  let isEmpty = true;
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    const values = part(row).filter((value) => value !== null);
    if (values.length > 0) isEmpty = false;
    return values.map(plain).join(',');
  });
  const hasFields = parts.some((part) => typeof part !== 'string');
  return isEmpty && hasFields ? '' : `${texts.join('')}\n`;
}

function plain(value: Json): string {
  return safeLine(typeof value === 'string' ? value : JSON.stringify(value));
}
