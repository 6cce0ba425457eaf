import { STATUS_CODES } from 'node:http';
import { ConnectError, ZooKeeperError, type ZooKeeperErrorCode } from '../client/base/errors.js';
import { isRunFault } from '../commands/ensemble/run-fault.js';
import { CommandError } from '../commands/program/command-error.js';
import { ExitCode } from '../commands/program/exit-status.js';
import { exitCodeOf } from '../commands/znodes/exit-code-of.js';
import type { Problem } from './api/shapes.js';

export interface ProblemOptions {
  readonly exitCode?: number;
  readonly path?: string | undefined;
  readonly hint?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure response; `message` is one sentence. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly code: string;
  readonly options: ProblemOptions;

  constructor(status: number, code: string, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.options = options;
  }

  /** application/problem+json (RFC 9457). */
  toJson(): Problem {
    const { status, code, message, options } = this;
    const { exitCode = ExitCode.failed, path, hint } = options;
    const exitStatus = Object.entries(ExitCode).find(([, number]) => number === exitCode)?.[0];
    return {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: message,
      code,
      exitStatus: exitStatus ?? 'failed',
      exitCode,
      ...(path === undefined ? {} : { path }),
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

/** The problem of a member that does not answer. */
export function noAnswer(detail: string, hint?: string): HttpProblem {
  return new HttpProblem(502, 'NOANSWER', detail, { exitCode: ExitCode.connection, hint });
}

export function unknownAdmin(server: string): HttpProblem {
  return new HttpProblem(404, 'UNKNOWN', `${server}: not a member with a known AdminServer`, {
    exitCode: ExitCode.usage,
    hint: 'add admin=PORT to its line in the file of --ensemble',
  });
}

const STATUSES: Partial<Record<ZooKeeperErrorCode, number>> = {
  ECLOSED: 503,
  NONODE: 404,
  NODEEXISTS: 409,
  NOTEMPTY: 409,
  NOCHILDRENFOREPHEMERALS: 409,
  BADVERSION: 412,
  NOAUTH: 403,
  NOTREADONLY: 503,
  INVALIDACL: 400,
  BADARGUMENTS: 400,
  QUOTAEXCEEDED: 507,
  UNIMPLEMENTED: 501,
  CONNECTIONLOSS: 503,
  SESSIONEXPIRED: 503,
  ETIMEDOUT: 503,
  OPERATIONTIMEOUT: 503,
};

/** What a person reads instead of `KeeperErrorCode = NoNode for /app`. */
const SENTENCES: Partial<Record<ZooKeeperErrorCode, (path: string) => string>> = {
  NONODE: (path) => `${path} does not exist`,
  NODEEXISTS: (path) => `${path} exists already`,
  NOTEMPTY: (path) => `${path} has children`,
  NOCHILDRENFOREPHEMERALS: (path) => `${path}: an ephemeral znode cannot have children`,
  BADVERSION: (path) => `another client changed ${path}`,
  NOAUTH: (path) => `the console has no permission to do this with ${path}`,
  INVALIDACL: (path) => `${path}: the server does not accept the ACL`,
  BADARGUMENTS: (path) => `${path}: the server does not accept the arguments`,
  QUOTAEXCEEDED: (path) => `${path}: the quota does not allow it`,
  NOTREADONLY: () => 'the member is read-only: it has no contact to a quorum',
  CONNECTIONLOSS: () => 'the connection to the ensemble is lost; the request may have taken effect',
  SESSIONEXPIRED: () => 'the session of the console expired; try again',
  ETIMEDOUT: () => 'the ensemble did not answer in time; the request may have taken effect',
  OPERATIONTIMEOUT: () => 'the ensemble did not answer in time; the request may have taken effect',
};

const COMMAND_STATUSES: Readonly<Record<number, number>> = {
  [ExitCode.usage]: 400,
  [ExitCode.connection]: 503,
  [ExitCode.badFile]: 500,
};

export function badRequest(detail: string): HttpProblem {
  return new HttpProblem(400, 'USAGE', detail, { exitCode: ExitCode.usage });
}

export function problemOf(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof ZooKeeperError) {
    const { code, message, path } = error;
    const sentence = SENTENCES[code]?.(path ?? 'the znode') ?? message;
    return new HttpProblem(STATUSES[code] ?? 502, code, sentence, {
      exitCode: exitCodeOf(code),
      path,
    });
  }
  if (isRunFault(error)) return noAnswer(error.message, error.hint);
  if (error instanceof CommandError) {
    const { code, message, exitCode, path, hint } = error;
    return new HttpProblem(COMMAND_STATUSES[exitCode] ?? 409, code, message, {
      exitCode,
      path,
      hint,
    });
  }
  if (error instanceof ConnectError) {
    const exitCode = ExitCode.connection;
    return new HttpProblem(503, error.code, error.message, { exitCode });
  }
  const detail = error instanceof Error ? error.message : String(error);
  return new HttpProblem(500, 'FAULT', detail);
}
