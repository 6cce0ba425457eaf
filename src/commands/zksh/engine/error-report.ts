import { chrootStart } from '../../../client/connect-string.js';
import {
  ConnectError,
  MultiError,
  UnsupportedError,
  ZooKeeperError,
} from '../../../client/errors.js';
import type { ErrorName } from '../../../protocol/error-code.js';
import { parentPath } from '../../../protocol/path.js';
import { CommandError, type ErrorReport, ExitCode } from '../../program/command-error.js';
import type { Statement } from '../language/parse-line.js';
import type { CommandContext } from './command.js';
import { findCall } from './subcommands.js';

const EXIT_CODES: Partial<Record<ErrorName, ExitCode>> = {
  CONNECTIONLOSS: ExitCode.connection,
  OPERATIONTIMEOUT: ExitCode.connection,
  REQUESTTIMEOUT: ExitCode.connection,
  SESSIONEXPIRED: ExitCode.connection,
  NONODE: ExitCode.noNode,
  NODEEXISTS: ExitCode.nodeExists,
  NOTEMPTY: ExitCode.notEmpty,
  BADVERSION: ExitCode.badVersion,
  NOAUTH: ExitCode.noAuth,
};

type Place = {
  readonly path: string;
  readonly verb: string;
  readonly isChange: boolean;
  readonly server: string;
};
type Words = { readonly sentence: string; readonly hint?: string };

/** Where Apache's shell has a sentence for an error, it is this one. */
const SENTENCES: Partial<Record<ErrorName, (place: Place) => Words>> = {
  NONODE: ({ path }) => ({ sentence: `Node does not exist: ${path}` }),
  NODEEXISTS: ({ path }) => ({ sentence: `Node already exists: ${path}` }),
  NOTEMPTY: ({ path }) => ({
    sentence: `Node not empty: ${path}`,
    hint: 'deleteall deletes a znode and everything below it',
  }),
  BADVERSION: ({ path }) => ({
    sentence: `version No is not valid : ${path}`,
    hint: 'the znode was changed since; stat shows its version',
  }),
  NOAUTH: ({ path }) => ({
    sentence: `Insufficient permission : ${path}`,
    hint: 'getAcl shows who may; addauth says who you are',
  }),
  INVALIDACL: ({ path }) => ({
    sentence: `Acl is not valid : ${path}`,
    hint: 'the server knows no such scheme or id, or the ACL is empty',
  }),
  NOCHILDRENFOREPHEMERALS: ({ path }) => ({
    sentence: `Ephemerals cannot have children: ${path}`,
  }),
  NOWATCHER: ({ path }) => ({ sentence: `No watch of this session on ${path}` }),
  NOTREADONLY: ({ server }) => ({
    sentence: `${server} is a read-only server, which takes no change`,
  }),
  QUOTAEXCEEDED: ({ path }) => ({ sentence: `Quota has exceeded : ${path}` }),
  AUTHFAILED: ({ server }) => ({ sentence: `${server} refused the authentication` }),
  UNIMPLEMENTED: ({ verb, server }) => ({
    sentence: `${server} does not know the operation of ${verb}`,
    hint: 'it is older, or the operation is not enabled there',
  }),
};

/** Makes one report of whatever a command threw: the only place where errors get words. */
export async function reportError(
  error: unknown,
  context: CommandContext,
  statement: Statement,
): Promise<ErrorReport> {
  if (error instanceof ZooKeeperError) return fromZooKeeperError(error, context, statement);
  return plainReport(error);
}

/** The report of an error that no command stands behind. */
export function plainReport(error: unknown): ErrorReport {
  if (error instanceof CommandError) return fromCommandError(error);
  if (error instanceof ConnectError) return connectReport(error);
  if (error instanceof UnsupportedError) {
    return { code: 'UNSUPPORTED', exitCode: ExitCode.failed, sentence: error.message };
  }
  const sentence = error instanceof Error ? error.message : String(error);
  return { code: codeOf(error), exitCode: ExitCode.failed, sentence };
}

/** No server was reached: which ones were tried, and why each could not be. */
export function connectReport(error: ConnectError): ErrorReport {
  return {
    code: error.code,
    exitCode: ExitCode.connection,
    sentence: error.message,
  };
}

function fromCommandError(error: CommandError): ErrorReport {
  return {
    code: error.code,
    exitCode: error.exitCode,
    sentence: error.message,
    ...(error.path === undefined ? {} : { path: error.path }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.place === undefined ? {} : { place: error.place }),
  };
}

async function fromZooKeeperError(
  error: ZooKeeperError,
  context: CommandContext,
  statement: Statement,
): Promise<ErrorReport> {
  const { code } = error;
  const exitCode = EXIT_CODES[code] ?? ExitCode.failed;
  const call = await findCall(statement.tokens, context.commands);
  const verb = call?.command.name ?? '';
  const isChange = call?.command.isMutating === true;
  const server = context.session.client?.server ?? context.session.target;
  const words = await wordsOf(error, { path: error.path ?? '', verb, isChange, server }, context);
  return {
    code,
    exitCode,
    sentence: error instanceof MultiError ? error.message : words.sentence,
    ...(error.path === undefined ? {} : { path: error.path }),
    ...(words.hint === undefined ? {} : { hint: words.hint }),
  };
}

async function wordsOf(
  error: ZooKeeperError,
  place: Place,
  context: CommandContext,
): Promise<Words> {
  if (error.code === 'NONODE') {
    const { chroot, target } = context.session;
    if (chroot !== '' && (await isChrootMissing(context))) {
      return {
        sentence: `the chroot ${chroot} does not exist`,
        hint: `connect to ${target.slice(0, chrootStart(target))} and create it there`,
      };
    }
    if (place.verb === 'create') {
      const parent = parentPath(place.path);
      return {
        sentence: `Node does not exist: ${parent} (the parent of ${place.path})`,
        hint: 'create -p makes missing parents',
      };
    }
  }
  if (error.code === 'CONNECTIONLOSS' || error.code === 'REQUESTTIMEOUT') {
    return lostWords(error, place);
  }
  if (error.code === 'SESSIONEXPIRED') return endedWords(error);
  return SENTENCES[error.code]?.(place) ?? { sentence: error.message };
}

async function isChrootMissing({ session }: CommandContext): Promise<boolean> {
  try {
    return (await session.client?.exists('/')) === null;
  } catch {
    return false;
  }
}

/** What is known of the outcome when no answer came. */
function lostWords(error: ZooKeeperError, { verb, path, isChange, server }: Place): Words {
  const what =
    error.code === 'CONNECTIONLOSS'
      ? `the connection to ${server} was lost${causeOf(error)}`
      : `${server} did not answer in time`;
  if (!isChange) return { sentence: `${what}; ${verb} changes nothing, and can be repeated` };
  const sentence = `${what}; whether ${verb} was done is not known`;
  return path === '' ? { sentence } : { sentence, hint: `stat ${path} shows what is there` };
}

/** What the server said: a session that never was has not expired. */
function endedWords({ cause }: ZooKeeperError): Words {
  return {
    sentence: cause instanceof Error ? cause.message : 'the session has expired',
    hint: 'connect asks for a new one; ephemerals end with the session that made them',
  };
}

/** What ended the connection, where it is more than its end: "(zk1:2181 broke the protocol: …)". */
function causeOf({ cause }: ZooKeeperError): string {
  return cause instanceof Error && cause.cause instanceof Error ? ` (${cause.message})` : '';
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return 'ERROR';
}
