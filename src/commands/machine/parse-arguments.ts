// The parser of all three programs. commander took 5.4 ms of processor time for the options of
// zksh, bundled and with its code cache; `zksh -c` may cost 5 ms more at most.
import { pathFault } from '../../protocol/path.js';
import { type Place, usageError } from '../program/command-error.js';
import { suggestWord } from '../program/suggest-word.js';
import type { Token } from '../zksh/language/parse-line.js';
import { patternFault } from '../znodes/path-glob.js';
import {
  type ArgumentSpec,
  type CommandDeclaration,
  type OptionSpec,
  type ParsedArguments,
  usageOf,
  valueNameOf,
} from './declaration.js';
import { flagsOf, isOptionLike } from './word-role.js';
import {
  aclOf,
  dataOf,
  durationOf,
  integerOf,
  isPlaceElsewhere,
  readOf,
  textOf,
} from './word-value.js';

export interface PathResolver {
  resolve(text: string): string;
}

type Spec = OptionSpec | ArgumentSpec;

/**
 * Parses the words after the name of a command. Errors point at the word. Options may appear
 * anywhere before `--`; quoted words and negative numbers are never options.
 * @param whole errors for missing arguments point at the end of this place
 * @throws CommandError USAGE
 */
export function parseArguments(
  command: CommandDeclaration,
  words: readonly Token[],
  whole: Place = { start: 0, end: 0 },
  resolver: PathResolver = AS_TYPED,
): ParsedArguments {
  const reader = new ArgumentReader(command, words, whole, resolver);
  return reader.read();
}

const AS_TYPED: PathResolver = { resolve: (text) => text };

class ArgumentReader {
  private readonly command: CommandDeclaration;
  private readonly words: Token[];
  private readonly whole: Place;
  private readonly resolver: PathResolver;
  private readonly options: Record<string, unknown> = {};
  private readonly args: Record<string, unknown> = {};
  private readonly tokens: Record<string, Token> = {};
  private wordsBeforeDashes = Number.POSITIVE_INFINITY;

  constructor(
    command: CommandDeclaration,
    words: readonly Token[],
    whole: Place,
    resolver: PathResolver,
  ) {
    this.command = command;
    this.words = [...words];
    this.whole = whole;
    this.resolver = resolver;
  }

  read(): ParsedArguments {
    for (const [name, spec] of Object.entries(this.command.options)) {
      if (spec.kind === undefined) this.options[name] = false;
      else if (spec.isRepeatable === true) this.options[name] = [];
      else if (spec.fallback !== undefined) this.options[name] = spec.fallback;
    }
    this.readArguments(this.readOptions());
    return { options: this.options, args: this.args, tokens: this.tokens };
  }

  private readOptions(): Token[] {
    const plain: Token[] = [];
    const specs = Object.values(this.command.args);
    const inner = specs.findIndex(({ kind }) => kind === 'word');
    for (let word = this.words.shift(); word !== undefined; word = this.words.shift()) {
      if (word.text === '--' && !word.isQuoted) {
        this.wordsBeforeDashes = plain.length;
        return [...plain, ...this.words];
      }
      if (!isOptionLike(word)) {
        plain.push(word);
        if (plain.length - 1 === inner) return [...plain, ...this.words];
      } else if (word.text.startsWith('--')) this.readLong(word);
      else this.readLetters(word);
    }
    return plain;
  }

  private readLong(word: Token): void {
    const equals = word.text.indexOf('=');
    const name = equals === -1 ? word.text.slice(2) : word.text.slice(2, equals);
    const spec = Object.hasOwn(this.command.options, name) ? this.command.options[name] : undefined;
    if (spec === undefined) throw this.unknownOption(word, `--${name}`);
    if (spec.kind === undefined) {
      if (equals !== -1) throw usageError(`--${name}: takes no value`, word);
      this.set(name, true, word);
      return;
    }
    if (equals === -1) this.readValue(name, spec, word);
    else {
      const cut = Buffer.byteLength(word.text.slice(0, equals + 1));
      this.setOption(name, spec, {
        ...word,
        text: word.text.slice(equals + 1),
        bytes: word.bytes.subarray(cut),
      });
    }
  }

  /** `-s`, `-sw`, `-v 3`, `-v3`. */
  private readLetters(word: Token): void {
    const letters = word.text.slice(1);
    // As in find(1) and in Java, and not several options of one letter.
    if (letters.length > 1 && Object.hasOwn(this.command.options, letters)) {
      throw usageError(`${this.command.name}: unknown option: ${word.text}`, word, {
        hint: `did you mean --${letters}?`,
      });
    }
    for (let at = 0; at < letters.length; at++) {
      const letter = letters.charAt(at);
      const found = Object.entries(this.command.options).find(([, spec]) => spec.letter === letter);
      if (found === undefined) throw this.unknownOption(word, at === 0 ? word.text : `-${letter}`);
      const [name, spec] = found;
      if (spec.kind === undefined) {
        this.set(name, true, word);
        continue;
      }
      const rest = letters.slice(at + 1);
      if (rest === '') this.readValue(name, spec, word);
      else {
        const cut = Buffer.byteLength(word.text.slice(0, at + 2));
        this.setOption(name, spec, { ...word, text: rest, bytes: word.bytes.subarray(cut) });
      }
      return;
    }
  }

  private readValue(name: string, spec: OptionSpec, word: Token): void {
    const value = this.words.shift();
    if (value === undefined) {
      throw usageError(`${word.text}: missing value: ${valueNameOf(name, spec)}`, word, {
        hint: this.usageHint(),
      });
    }
    this.setOption(name, spec, value);
  }

  private setOption(name: string, spec: OptionSpec, token: Token): void {
    const value = this.valueOf(`--${name}`, spec, token);
    const list = this.options[name];
    if (spec.isRepeatable === true && Array.isArray(list)) {
      list.push(value);
      this.tokens[name] = token;
    } else this.set(name, value, token);
  }

  private set(name: string, value: unknown, token: Token): void {
    if (this.tokens[name] !== undefined) throw usageError(`--${name}: repeated option`, token);
    this.options[name] = value;
    this.tokens[name] = token;
  }

  private readArguments(words: readonly Token[]): void {
    let next = 0;
    let end = words.length;
    for (const [name, spec] of Object.entries(this.command.args)) {
      const isTooEarly = spec.isAfterDashes === true && next < this.wordsBeforeDashes;
      if (isTooEarly) end = Math.min(end, this.wordsBeforeDashes);
      const room = isTooEarly ? 0 : spec.isVariadic === true ? words.length : 1;
      const taken = words.slice(next, next + room);
      this.readArgument(name, spec, taken);
      next += taken.length;
    }
    this.refuseSurplus(words.slice(next, end));
  }

  private readArgument(name: string, spec: ArgumentSpec, words: readonly Token[]): void {
    const [first] = words;
    if (first === undefined && spec.isOptional !== true) throw this.missing(name);
    const values = words.map((token) => this.valueOf(name, spec, token));
    if (spec.isVariadic === true) this.args[name] = values;
    else if (first !== undefined) this.args[name] = values[0];
    if (first !== undefined) this.tokens[name] = first;
  }

  private missing(name: string): Error {
    const { end } = this.whole;
    return usageError(
      `${this.command.name}: missing argument: ${name}`,
      { start: end, end: end + 1 },
      { hint: this.usageHint() },
    );
  }

  private refuseSurplus(words: readonly Token[]): void {
    const [first] = words;
    const last = words.at(-1);
    if (first === undefined || last === undefined) return;
    const hint = this.command.surplusHint ?? this.usageHint();
    // Without the words: one may be a password.
    const what = first === last ? 'unexpected argument' : `${words.length} unexpected arguments`;
    throw usageError(
      `${this.command.name}: ${what}`,
      { start: first.start, end: last.end },
      { hint },
    );
  }

  private unknownOption(word: Token, flag: string): Error {
    const long = flagsOf(this.command).filter((option) => option.startsWith('--'));
    const suggestion = flag.startsWith('--') ? suggestWord(flag, long) : undefined;
    const known = flag.startsWith('--') ? flag : flag.slice(0, 2);
    const owners = (this.command.siblings ?? []).filter((each) => flagsOf(each).includes(known));
    const takesData = Object.values(this.command.args).some((spec) => spec.kind === 'data');
    const hint =
      owners.length > 0
        ? `${known} is an option of ${owners.map(({ name }) => name).join(', ')}`
        : suggestion !== undefined
          ? `did you mean ${suggestion}?`
          : takesData
            ? `to store it as a value, quote it or put it after --; ${this.usageHint()}`
            : (this.jsonHint(flag) ?? this.usageHint());
    return usageError(`${this.command.name}: unknown option: ${flag}`, word, { hint });
  }

  /** Other tools have --json. Here, the format is an option of the program, not of a command. */
  private jsonHint(flag: string): string | undefined {
    if (flag !== '--json') return undefined;
    const isProgram = this.command.options['output']?.choices?.includes('json') === true;
    return isProgram ? 'did you mean -o json?' : 'for JSON, start zksh with -o json';
  }

  private usageHint(): string {
    return `usage: ${usageOf(this.command)}`;
  }

  private valueOf(name: string, spec: Spec, token: Token): unknown {
    const { kind } = spec;
    if (kind === 'data') return dataOf(token);
    if (kind === 'word' || kind === 'command') return token;
    if (!token.isText) throw usageError(`${name}: not UTF-8`, token);
    switch (kind) {
      case 'path':
        if ('glob' in spec) this.checkPattern(token);
        return this.pathOf(token);
      case 'place':
        return isPlaceElsewhere(token) ? token.text : this.pathOf(token);
      case 'integer':
        return integerOf(name, spec, token);
      case 'duration':
        return durationOf(name, spec, token);
      case 'acl':
        return aclOf(token);
      default:
        return spec.read === undefined ? textOf(name, spec, token) : readOf(name, spec.read, token);
    }
  }

  private checkPattern(token: Token): void {
    const fault = token.pattern === undefined ? undefined : patternFault(token.pattern);
    if (fault !== undefined) throw usageError(fault, token);
  }

  private pathOf(token: Token): string {
    const path = this.resolver.resolve(token.text);
    const fault = pathFault(path);
    if (token.text === '')
      throw usageError('invalid path: "" (expected a path such as /app)', token, {
        hint: this.usageHint(),
      });
    if (fault !== undefined) throw usageError(`invalid path: ${token.text}: ${fault}`, token);
    return path;
  }
}
