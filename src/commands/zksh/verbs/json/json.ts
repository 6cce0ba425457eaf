import { isUtf8 } from 'node:buffer';
import { isCode, ZooKeeperError } from '../../../../client/base/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { defineFamily } from '../../../machine/subcommands.js';
import { CommandError, usageError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { readValue } from '../../engine/read-value.js';
import { VERSION_RANGE } from '../../engine/versions.js';
import type { Token } from '../../language/parse-line.js';
import { MANY_OPTIONS } from '../../paths/many-options.js';
import { formatPointer, parsePointer, type Steps } from './json-pointer.js';
import { findValue, setValue } from './json-text.js';

/** Tries after concurrent changes. */
const MAX_TRIES = 10;

const jsonPath = { kind: 'path', glob: 'parallel', summary: 'the znode, or a pattern' } as const;
const jsonPointer = {
  kind: 'text',
  summary: "the position in the document; '' is the whole document",
} as const;

const get = defineCommand({
  name: 'json get',
  group: 'znode',
  summary: 'Print one value of JSON data',
  description:
    'Prints a string without quotes, and any other value unchanged. Without a pointer, the value is the whole document. For a missing value, the exit status is 4.',
  options: {},
  args: { path: jsonPath, pointer: { ...jsonPointer, isOptional: true } },
  examples: [
    { line: 'json get /app/config /db/host', summary: 'Print one value' },
    { line: 'json get /app/config servers[0].host', summary: 'Address a value by dotted names' },
    { line: 'json get /app/*/config /version', summary: 'Compare a value across znodes' },
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
  summary: 'Change one value of JSON data',
  description:
    'The value is JSON and is stored as typed. The rest of the document keeps its whitespace, order, and numbers. A new name is added at the end, and the index - appends to an array. A concurrent change is kept: set retries up to ten times, then fails with exit status 7. A pattern asks for confirmation; a script must pass --yes.',
  options: {
    string: { letter: 's', summary: 'store the value as a JSON string' },
    parents: { letter: 'p', summary: 'create missing parent objects' },
    create: { summary: 'start from {} if the znode or its data is missing' },
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'require this data version',
    },
    ...MANY_OPTIONS,
  },
  args: {
    path: jsonPath,
    pointer: jsonPointer,
    value: { kind: 'data', summary: 'the value, @FILE, or -' },
  },
  surplusHint: 'quote a value that contains spaces: \'{"a": 1}\'',
  isMutating: true,
  hasGenericDryRun: true,
  examples: [
    { line: 'json set /app/config /db/pool 20', summary: 'Set a number' },
    { line: "json set -s /app/config /db/host 'db 2'", summary: 'Set a string' },
    { line: 'json set /app/config /servers/- \'{"host": "c"}\'', summary: 'Append to an array' },
  ],
  check({ args: { pointer, value }, options, tokens }) {
    stepsOf(pointer, tokens.pointer);
    if (value.from === 'line' && !options.string) jsonOf(value.bytes, false, tokens.value);
    if (options.create && options.version !== undefined) {
      throw usageError('json set: cannot combine --create with --version', tokens.version);
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
  summary: 'Read or change one value of JSON data',
  description:
    'A pointer follows RFC 6901 (/servers/0/host), or uses dotted names (servers[0].host).',
  subcommands: [get, set],
});

function stepsOf(pointer = '', token: Token | undefined): Steps {
  const steps = parsePointer(pointer);
  if (!('fault' in steps)) return steps;
  throw usageError(`json: invalid pointer "${pointer}": ${steps.fault}`, token);
}

/** The value as typed. @throws CommandError USAGE if it is not JSON */
function jsonOf(bytes: Buffer, isString: boolean, token: Token | undefined): string {
  const text = bytes.toString();
  if (!isUtf8(bytes)) throw usageError('json set: value is not UTF-8 text', token);
  if (isString) return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text.trim();
  } catch {
    throw usageError(
      `json set: value is not JSON: ${text.length > 30 ? `${text.slice(0, 30)}…` : text}`,
      token,
      { hint: `for a string, use -s or add both quotes: '"text"'` },
    );
  }
}

async function lookUp(context: CommandContext, path: string, steps: Steps): Promise<Result> {
  const { data } = await context.client.getData(path);
  const document = documentOf(path, data);
  const found = findValue(document, steps);
  const pointer = formatPointer(steps);
  if (!found.isThere) throw noValue(path, `no value at ${pointer}`);
  const shown = unindent(document.slice(found.span.start, found.span.end));
  const value: unknown = JSON.parse(shown);
  return {
    kind: 'message',
    text: typeof value === 'string' ? value : shown,
    isNameless: true,
    fields: { path, pointer, value },
  };
}

/** Removes the indentation that the value has in its document. JSON strings contain no newline. */
function unindent(text: string): string {
  const indents = [...text.matchAll(/\n([ \t]*)/g)].map(([, indent = '']) => indent.length);
  const least = indents.reduce((one, other) => Math.min(one, other), text.length);
  return indents.length === 0 ? text : text.replace(new RegExp(`\\n[ \\t]{${least}}`, 'g'), '\n');
}

function documentOf(path: string, data: Buffer | null): string {
  const fault = (reason: string, cause?: unknown) =>
    new CommandError(`${path}: data is not JSON: ${reason}`, { code: 'NOTJSON', path, cause });
  if (data === null || data.length === 0) throw fault('no data');
  if (!isUtf8(data)) throw fault('not UTF-8 text');
  const text = data.toString();
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw fault(error instanceof Error ? error.message : String(error), error);
  }
}

function noValue(path: string, why: string, hint?: string): CommandError {
  return new CommandError(`${path}: ${why}`, {
    code: 'NOVALUE',
    exitCode: ExitCode.noNode,
    path,
    hint,
  });
}

function changed(
  path: string,
  document: string,
  steps: Steps,
  value: string,
  areParentsMade: boolean,
): string {
  const text = setValue(document, steps, value, areParentsMade);
  if (typeof text === 'string') return text;
  throw noValue(
    path,
    text.fault,
    text.needsParents ? 'use -p to create missing parents' : undefined,
  );
}

interface SetFlags {
  readonly create: boolean;
  readonly version: number | undefined;
}

/** Retries if another client changed the data. */
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
    return { kind: 'message', text: 'No changes', fields: { path, isChanged: false } };
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
