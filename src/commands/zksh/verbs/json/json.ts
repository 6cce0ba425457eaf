import { isUtf8 } from 'node:buffer';
import { ZooKeeperError } from '../../../../client/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { CommandError, ExitCode, usageError } from '../../../program/command-error.js';
import { isCode } from '../../../znodes/is-code.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { readValue } from '../../engine/read-value.js';
import { defineFamily } from '../../engine/subcommands.js';
import { VERSION_RANGE } from '../../engine/versions.js';
import type { Token } from '../../language/parse-line.js';
import { MANY_OPTIONS } from '../../paths/many-options.js';
import type { Result } from '../../results/result.js';
import { formatPointer, parsePointer, type Steps } from './json-pointer.js';
import { findValue, setValue } from './json-text.js';

/** So often is a value put into what somebody else changed at the same time. */
const MAX_TRIES = 10;

const jsonPath = { kind: 'path', glob: 'parallel', summary: 'the znode, or a pattern' } as const;
const jsonPointer = { kind: 'text', summary: "where in the document; '' is all of it" } as const;

const get = defineCommand({
  name: 'json get',
  group: 'znode',
  summary: 'show one value within JSON data',
  description:
    'A string is shown without its quotes, and anything else as it stands there. Without a pointer, the value is the whole document. A missing value makes the exit code 4.',
  options: {},
  args: { path: jsonPath, pointer: { ...jsonPointer, isOptional: true } },
  examples: [
    { line: 'json get /app/config /db/host', summary: 'one value' },
    { line: 'json get /app/config servers[0].host', summary: 'the same by names' },
    { line: 'json get /app/*/config /version', summary: 'of many' },
  ],
  check({ args, tokens }) {
    stepsOf(args.pointer, tokens.pointer);
  },
  run: (context, { args, tokens }) =>
    lookUp(context, args.path, stepsOf(args.pointer, tokens.pointer)),
});

const set = defineCommand({
  name: 'json set',
  group: 'znode',
  summary: 'change one value within JSON data',
  description:
    'The value is JSON. It is put there as it is typed, and every other character of the document stays as it is: blanks, order, numbers. A name that is new comes last, spaced like the one before it; an index of - adds to an array. The data is set only if it is still what was read: a change of somebody else is read and kept, up to ten times, and then the exit code is 7. A pattern asks first; a script says --yes, or is refused.',
  options: {
    string: { letter: 's', summary: 'the value is a text, not JSON' },
    parents: { letter: 'p', summary: 'make the objects that are missing on the way' },
    create: { summary: 'begin with {} where the znode is missing, or has no data' },
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'only if this is still its version',
    },
    ...MANY_OPTIONS,
  },
  args: {
    path: jsonPath,
    pointer: jsonPointer,
    value: { kind: 'data', summary: 'the value, @FILE or -' },
  },
  surplusHint: 'a value with blanks goes in quotes: \'{"a": 1}\'',
  isMutating: true,
  isDryRunTold: true,
  examples: [
    { line: 'json set /app/config /db/pool 20', summary: 'a number' },
    { line: "json set -s /app/config /db/host 'db 2'", summary: 'a string' },
    { line: 'json set /app/config /servers/- \'{"host": "c"}\'', summary: 'one more in an array' },
  ],
  check({ args: { pointer, value }, options, tokens }) {
    stepsOf(pointer, tokens.pointer);
    if (value.from === 'line' && !options.string) jsonOf(value.bytes, false, tokens.value);
    if (options.create && options.version !== undefined) {
      throw usageError('--create asks for no version', tokens.version);
    }
  },
  async run(context, { args: { path, pointer, value }, options, tokens }): Promise<Result> {
    const steps = stepsOf(pointer, tokens.pointer);
    const bytes = await readValue(context, value, false);
    const json = jsonOf(bytes ?? Buffer.alloc(0), options.string, tokens.value);
    const change = (text: string) => changed(path, text, steps, json, options.parents);
    return setWithin(context, path, change, options);
  },
});

export const json = defineFamily({
  name: 'json',
  group: 'znode',
  summary: 'look up or change one value within JSON data',
  description:
    'A pointer is one of RFC 6901 (/servers/0/host), or names with dots (servers[0].host).',
  subcommands: [get, set],
});

/** @throws CommandError USAGE */
function stepsOf(pointer = '', token: Token | undefined): Steps {
  const steps = parsePointer(pointer);
  if (!('fault' in steps)) return steps;
  throw usageError(`"${pointer}" points to no value: ${steps.fault}`, token);
}

/** The value as JSON, just as it was given. @throws CommandError USAGE for what is none */
function jsonOf(bytes: Buffer, isString: boolean, token: Token | undefined): string {
  const text = bytes.toString();
  if (!isUtf8(bytes)) throw usageError('the value is no text', token);
  if (isString) return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text.trim();
  } catch {
    throw usageError(
      `the value is no JSON: ${text.length > 30 ? `${text.slice(0, 30)}…` : text}`,
      token,
      `a text goes with -s, or in both quotes: '"text"'`,
    );
  }
}

async function lookUp(context: CommandContext, path: string, steps: Steps): Promise<Result> {
  const { data } = await context.client.getData(path);
  const document = documentOf(path, data);
  const found = findValue(document, steps);
  const pointer = formatPointer(steps);
  if (!found.isThere) throw noValue(path, `there is no ${pointer}`);
  const shown = unindent(document.slice(found.span.start, found.span.end));
  const value: unknown = JSON.parse(shown);
  return {
    kind: 'message',
    text: typeof value === 'string' ? value : shown,
    isNameless: true,
    fields: { path, pointer, value },
  };
}

/** Lines after the first are indented as deep as the value stands; strings hold no line end. */
function unindent(text: string): string {
  const indents = [...text.matchAll(/\n([ \t]*)/g)].map(([, indent = '']) => indent.length);
  const least = Math.min(...indents);
  return indents.length === 0 ? text : text.replace(new RegExp(`\\n[ \\t]{${least}}`, 'g'), '\n');
}

/** @throws CommandError NOTJSON */
function documentOf(path: string, data: Buffer | null): string {
  const fault = (reason: string, cause?: unknown) =>
    new CommandError(`the data of ${path} is no JSON: ${reason}`, { code: 'NOTJSON', path, cause });
  if (data === null || data.length === 0) throw fault('there is none');
  if (!isUtf8(data)) throw fault('it is no text');
  const text = data.toString();
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw fault(error instanceof Error ? error.message : String(error), error);
  }
}

function noValue(path: string, why: string, hint?: string): CommandError {
  return new CommandError(`${why} in the data of ${path}`, {
    code: 'NOVALUE',
    exitCode: ExitCode.noNode,
    path,
    hint,
  });
}

/** @throws CommandError NOVALUE */
function changed(
  path: string,
  document: string,
  steps: Steps,
  value: string,
  areParentsMade: boolean,
): string {
  const text = setValue(document, steps, value, areParentsMade);
  if (typeof text === 'string') return text;
  throw noValue(path, text.fault, text.needsParents ? '-p makes what is missing' : undefined);
}

interface SetFlags {
  readonly create: boolean;
  readonly version: number | undefined;
}

/** Reads, changes and sets, only if it is what was read. */
async function setWithin(
  { client }: CommandContext,
  path: string,
  change: (document: string) => string,
  flags: SetFlags,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await trySetWithin(client, path, change, flags);
    } catch (error) {
      const isRace = isCode(error, 'BADVERSION') || (flags.create && isCode(error, 'NODEEXISTS'));
      if (!isRace || flags.version !== undefined || tries === MAX_TRIES) throw error;
    }
  }
}

async function trySetWithin(
  client: CommandContext['client'],
  path: string,
  change: (document: string) => string,
  { create, version = -1 }: SetFlags,
): Promise<Result> {
  const known = await readOrNone(client, path, create);
  if (known === undefined) {
    const made = await client.create(path, Buffer.from(change('{}')));
    return { kind: 'created', path: made.path, stat: made.stat };
  }
  const { data, stat } = known;
  if (version !== -1 && stat.version !== version) {
    throw new ZooKeeperError(ErrorCode.BADVERSION, path);
  }
  const isBlank = create && (data === null || data.length === 0);
  const before = isBlank ? '{}' : documentOf(path, data);
  const after = change(before);
  if (after === before && !isBlank) {
    return { kind: 'message', text: 'nothing was changed', fields: { path, isChanged: false } };
  }
  const set = await client.setData(path, Buffer.from(after), stat.version);
  return { kind: 'changed', path, stat: set, isStatShown: false };
}

async function readOrNone(
  client: CommandContext['client'],
  path: string,
  mayBeMissing: boolean,
): Promise<Awaited<ReturnType<typeof client.getData>> | undefined> {
  try {
    return await client.getData(path);
  } catch (error) {
    if (mayBeMissing && isCode(error, 'NONODE')) return undefined;
    throw error;
  }
}
