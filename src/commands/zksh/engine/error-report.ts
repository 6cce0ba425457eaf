import { chrootStart } from '../../../client/base/connect-string.js';
import {
  ConnectError,
  MultiError,
  UnsupportedError,
  ZooKeeperError,
  type ZooKeeperErrorCode,
} from '../../../client/base/errors.js';
import { DEFAULT_MAX_BUFFER } from '../../../client/session/request.js';
import { parentPath } from '../../../protocol/path.js';
import { CommandError, type ErrorReport } from '../../program/command-error.js';
import { ExitCode } from '../../program/exit-status.js';
import { exitCodeOf } from '../../znodes/exit-code-of.js';
import type { Statement } from '../language/parse-line.js';
import { quoteWord } from '../language/quote-word.js';
import type { CommandContext } from './command.js';
import { findCall } from './find-call.js';

type Place = {
  readonly path: string;
  readonly verb: string;
  readonly isChange: boolean;
  readonly server: string;
};
type Words = { readonly sentence: string; readonly hint?: string };

/** Apache's texts where its shell has one. */
const SENTENCES: Partial<Record<ZooKeeperErrorCode, (place: Place) => Words>> = {
  NONODE: ({ path }) => ({ sentence: `Node does not exist: ${path}` }),
  NODEEXISTS: ({ path }) => ({ sentence: `Node already exists: ${path}` }),
  NOTEMPTY: ({ path }) => ({
    sentence: `Node not empty: ${path}`,
    hint: 'use deleteall to delete a znode with its descendants',
  }),
  BADVERSION: ({ path }) => ({
    sentence: `version No is not valid : ${path}`,
    hint: 'another client changed the znode; run stat to see its version',
  }),
  NOAUTH: ({ path }) => ({
    sentence: `Insufficient permission : ${path}`,
    hint: 'run getAcl to see the permissions, and addauth to authenticate',
  }),
  INVALIDACL: ({ path }) => ({
    sentence: `Acl is not valid : ${path}`,
    hint: 'the scheme or id is unknown to the server, or the ACL is empty',
  }),
  NOCHILDRENFOREPHEMERALS: ({ path }) => ({
    sentence: `Ephemerals cannot have children: ${path}`,
  }),
  NOWATCHER: ({ path }) => ({ sentence: `${path}: this session has no such watch` }),
  NOTREADONLY: ({ server }) => ({
    sentence: `${server}: server is read-only`,
  }),
  QUOTAEXCEEDED: ({ path }) => ({ sentence: `Quota has exceeded : ${path}` }),
  UNIMPLEMENTED: ({ verb, server }) => ({
    sentence: `${server}: server does not support ${verb}`,
    hint: 'the server is too old, or the operation is disabled',
  }),
};

/** Converts any error of a command to a report. Only this file writes error texts. */
export async function reportError(
  error: unknown,
  context: CommandContext,
  statement: Statement,
): Promise<ErrorReport> {
  if (error instanceof ZooKeeperError) return fromZooKeeperError(error, context, statement);
  return plainReport(error);
}

export function plainReport(error: unknown): ErrorReport {
  if (error instanceof CommandError) return fromCommandError(error);
  if (error instanceof ConnectError) return connectReport(error);
  if (error instanceof UnsupportedError) {
    return { code: 'UNSUPPORTED', exitCode: ExitCode.failed, sentence: error.message };
  }
  const sentence = error instanceof Error ? error.message : String(error);
  return { code: codeOf(error), exitCode: ExitCode.failed, sentence };
}

/** With the reason for each server. */
function connectReport(error: ConnectError): ErrorReport {
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
  const exitCode = exitCodeOf(code);
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
        sentence: `chroot does not exist: ${chroot}`,
        hint: /,[^/,:]*:\d/.test(chroot)
          ? 'write the chroot once, after the last server: host1,host2/chroot'
          : `connect to ${target.slice(0, chrootStart(target))} and create it there`,
      };
    }
    if (place.verb === 'create') {
      const parent = parentPath(place.path);
      return {
        sentence: `Node does not exist: ${parent} (the parent of ${place.path})`,
        hint: 'use create -p to create missing parents',
      };
    }
  }
  if (error.oversizeReplyBytes !== undefined) {
    return longReplyWords(error.oversizeReplyBytes, place);
  }
  if (error.oversizeBytes !== undefined) return oversizeWords(error, error.oversizeBytes, place);
  if (error.code === 'CONNECTIONLOSS' || error.code === 'ETIMEDOUT') {
    return lostWords(error, place);
  }
  if (error.code === 'SESSIONEXPIRED') return endedWords(error);
  if (error.code === 'AUTHFAILED') return refusedWords(error, place);
  return SENTENCES[error.code]?.(place) ?? { sentence: error.message };
}

async function isChrootMissing({ session }: CommandContext): Promise<boolean> {
  try {
    return (await session.client?.exists('/')) === null;
  } catch {
    return false;
  }
}

function lostWords(error: ZooKeeperError, { verb, path, isChange, server }: Place): Words {
  const what =
    error.code === 'CONNECTIONLOSS'
      ? `${server}: connection lost${causeOf(error)}`
      : `${server}: request timed out`;
  if (!isChange) return { sentence: `${what}; ${verb} is safe to retry` };
  const sentence = `${what}; outcome of ${verb} is unknown`;
  return path === '' ? { sentence } : { sentence, hint: `run stat ${quoteWord(path)} to check` };
}

/** Apache's server closes the connection at a longer request, and sends no error. */
function oversizeWords({ code }: ZooKeeperError, bytes: number, { verb, server }: Place): Words {
  const [found, limit] = [bytes, DEFAULT_MAX_BUFFER].map((count) => count.toLocaleString('en-US'));
  const problem = `the ${verb} request of ${found} bytes exceeds`;
  return {
    sentence:
      code === 'CONNECTIONLOSS'
        ? `${server}: connection lost: ${problem} jute.maxbuffer (default ${limit})`
        : `${server}: ${problem} the server's jute.maxbuffer`,
    hint: 'store less data in one znode, or raise jute.maxbuffer on every server',
  };
}

function longReplyWords(bytes: number, { verb, server }: Place): Words {
  const found = bytes.toLocaleString('en-US');
  return {
    sentence: `${server}: connection lost: the reply of ${found} bytes to ${verb} is longer than zksh accepts`,
    hint: 'a repeated request gets the same reply; read less at once',
  };
}

/** The reason of the server distinguishes unknown from expired sessions. */
function endedWords({ cause }: ZooKeeperError): Words {
  return {
    sentence: cause instanceof Error ? cause.message : 'session expired',
    hint: 'run connect to open a new session; the ephemerals of the old one are deleted',
  };
}

/** The reason of the client or of a KDC says what to do. */
function refusedWords({ cause }: ZooKeeperError, { server }: Place): Words {
  const why = cause instanceof Error ? cause.message : '';
  const place = why.startsWith(server) ? '' : `${server}: `;
  return { sentence: `${place}authentication failed${why === '' ? '' : `: ${why}`}` };
}

/** The cause of a lost connection, if known: "(zk1:2181 violated the protocol: …)". */
function causeOf({ cause }: ZooKeeperError): string {
  return cause instanceof Error && cause.cause instanceof Error ? ` (${cause.message})` : '';
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return 'ERROR';
}
