import { readFileSync, statSync } from 'node:fs';
import { hasCode } from '../../program/file-error.js';
import { type KnownMember, type RunState, STATE_SCHEMA } from './run-state.js';

/** The zxid is a string, since a JSON number would lose its last digits. */
interface StateDocument extends Omit<RunState, 'members'> {
  readonly schema: typeof STATE_SCHEMA;
  readonly members: Readonly<
    Record<string, Omit<KnownMember, 'zxid'> & { readonly zxid?: string }>
  >;
}

export function formatState({ members, ...rest }: RunState): string {
  const document = {
    schema: STATE_SCHEMA,
    ...rest,
    members: Object.fromEntries(
      [...members].map(([server, { zxid, ...known }]) => [
        server,
        { ...known, zxid: zxid?.toString() },
      ]),
    ),
  };
  return `${JSON.stringify(document)}\n`;
}

/** @throws Error if the text is not a state of this version */
export function parseState(text: string): RunState {
  const value: unknown = JSON.parse(text);
  if (!isStateDocument(value)) throw new Error(`not a ${STATE_SCHEMA} file`);
  const { schema: _, members, ...rest } = value;
  return {
    ...rest,
    members: new Map(
      Object.entries(members).map(([server, { zxid, ...known }]) => [
        server,
        { ...known, zxid: zxid === undefined ? undefined : BigInt(zxid) },
      ]),
    ),
  };
}

function isStateDocument(value: unknown): value is StateDocument {
  if (typeof value !== 'object' || value === null) return false;
  const {
    schema,
    members,
    problems,
    trend,
    changes = [],
  } = value as Partial<Record<string, unknown>>;
  return (
    schema === STATE_SCHEMA &&
    typeof members === 'object' &&
    members !== null &&
    Array.isArray(problems) &&
    Array.isArray(trend) &&
    Array.isArray(changes)
  );
}

const START = '{"schema":"zkops-state/';

/** The file has something else, so nobody may replace it. */
export class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError';
}

/**
 * Undefined before the first run, and for a device, which keeps nothing.
 * @throws ForeignFileError for another file, Error for an unreadable one
 */
export function readStateFile(file: string): RunState | undefined {
  let text: string;
  try {
    if (!statSync(file).isFile()) return undefined;
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  if (text === '') return undefined;
  // A part of it is a state that was cut short.
  const isOurs = text.startsWith(START) || START.startsWith(text);
  if (!isOurs) throw new ForeignFileError(`not a ${STATE_SCHEMA} file`);
  return parseState(text);
}
