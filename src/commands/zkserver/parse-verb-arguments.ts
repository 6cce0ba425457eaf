import { type ServerVerb, usageError, type VerbArguments } from './verb.js';

/**
 * Reads what stands behind the verb: operands, `-D name=value` or `-Dname=value` any number of
 * times, and the verb's own options. @throws VerbError with exit code 2
 */
export function parseVerbArguments(verb: ServerVerb, words: readonly string[]): VerbArguments {
  const operands: string[] = [];
  const properties: Record<string, string> = {};
  const options = new Map<string, string>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      operands.push(...rest.splice(0));
    } else if (word.startsWith('-D')) {
      const [name, value] = splitProperty(word === '-D' ? rest.shift() : word.slice(2));
      properties[name] = value;
    } else if (word.startsWith('-') && word !== '-') {
      const [name, value] = splitAtEquals(word);
      options.set(name, optionValue(verb, name, value, rest));
    } else {
      operands.push(word);
    }
  }
  return { operands, properties, options };
}

/** As with Java, a name alone means "". */
function splitProperty(text: string | undefined): [name: string, value: string] {
  const [name, value] = splitAtEquals(text ?? '');
  if (name === '') throw usageError('expected name=value behind -D');
  return [name, value ?? ''];
}

/** The value of an option: behind "=", or the next word, which is then taken off `rest`. */
function optionValue(
  verb: ServerVerb,
  name: string,
  given: string | undefined,
  rest: string[],
): string {
  const option = verb.options[name];
  if (option === undefined) throw usageError(`${verb.name} has no option ${name}`);
  if (!option.hasValue) {
    if (given !== undefined) throw usageError(`expected no value for ${name}`);
    return '';
  }
  const value = given ?? rest.shift();
  if (value === undefined) throw usageError(`expected a value for ${name}`);
  return value;
}

function splitAtEquals(text: string): [before: string, behind: string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
