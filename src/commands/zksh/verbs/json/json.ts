import { isUtf8 } from 'node:buffer';
import { ZooKeeperError } from '../../../../client/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { CommandError, ExitCode, usageError } from '../../../program/command-error.js';
import { isCode } from '../../../znodes/is-code.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { readValue } from '../../engine/read-value.js';
import { VERSION_RANGE } from '../../engine/versions.js';
import type { Token } from '../../language/parse-line.js';
import { MANY_OPTIONS } from '../../paths/many-options.js';
import type { Result } from '../../results/result.js';
import { formatPointer, parsePointer, type Steps } from './json-pointer.js';
import { findValue, setValue } from './json-text.js';

/** So often is a value put into what somebody else changed at the same time. */
const MAX_TRIES = 10;

export const json = defineCommand({
  name: 'json',
  group: 'znode',
  summary: 'look up or change one value within JSON data',
  description:
    'The pointer is one of RFC 6901 (/servers/0/host), or names with dots (servers[0].host); without one it is the whole document. get shows a string without its quotes, and anything else as it stands there; exit code 4 says that there is no such value. set takes JSON, puts it there as it is typed and leaves every other character of the document as it is: blanks, order, numbers. A name that is new comes last, spaced like the one before it; an index of - adds to an array. The data is set only if it is still what was read: a change of somebody else is read and kept, up to ten times, and then the exit code is 7. A pattern asks first; a script says --yes, or is refused.',
  options: {
    string: { letter: 's', summary: 'of set: the value is a text, not JSON' },
    parents: { letter: 'p', summary: 'of set: make the objects that are missing on the way' },
    create: { summary: 'of set: begin with {} where the znode is missing, or has no data' },
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'of set: only if this is still its version',
    },
    ...MANY_OPTIONS,
  },
  args: {
    action: { kind: 'text', choices: ['get', 'set'], summary: 'what to do' },
    path: { kind: 'path', glob: 'parallel', summary: 'the znode, or a pattern' },
    pointer: { kind: 'text', isOptional: true, summary: "where in the document; '' is all of it" },
    value: { kind: 'data', isOptional: true, summary: 'of set: the value, @FILE or -' },
  },
  surplusHint: 'a value with blanks goes in quotes: \'{"a": 1}\'',
  isMutating: true,
  isDryRunTold: true,
  isReading: ({ args }) => args.action === 'get',
  examples: [
    { line: 'json get /app/config /db/host', summary: 'one value' },
    { line: 'json get /app/config servers[0].host', summary: 'the same by names' },
    { line: 'json set /app/config /db/pool 20', summary: 'a number' },
    { line: "json set -s /app/config /db/host 'db 2'", summary: 'a string' },
    { line: 'json set /app/config /servers/- \'{"host": "c"}\'', summary: 'one more in an array' },
    { line: 'json get /app/*/config /version', summary: 'of many' },
  ],
  check({ args, options, tokens }) {
    stepsOf(args.pointer ?? '', tokens.pointer);
    if (args.action === 'get') {
      const token =
        tokens.value ?? tokens.string ?? tokens.parents ?? tokens.create ?? tokens.version;
      if (token !== undefined) throw usageError('this goes with json set', token);
    } else if (args.value === undefined) {
      throw usageError(
        'json set needs a pointer and a value',
        tokens.pointer ?? tokens.path,
        "json set PATH POINTER VALUE; '' is the whole document",
      );
    } else if (args.value.from === 'line' && !options.string) {
      jsonOf(args.value.bytes, false, tokens.value);
    }
    if (options.create && options.version !== undefined) {
      throw usageError('--create asks for no version', tokens.version);
    }
  },
  async run(context, { args, options, tokens }): Promise<Result> {
    const { path } = args;
    const steps = stepsOf(args.pointer ?? '', tokens.pointer);
    if (args.action === 'get') return lookUp(context, path, steps);
    const bytes = await readValue(context, args.value, false);
    const value = jsonOf(bytes ?? Buffer.alloc(0), options.string, tokens.value);
    const change = (text: string) => changed(path, text, steps, value, options.parents);
    return setWithin(context, path, change, options);
  },
});

/** @throws CommandError USAGE */
function stepsOf(pointer: string, token: Token | undefined): Steps {
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
