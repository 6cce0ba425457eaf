/**
 * The AdminServer (JettyAdminServer): commands over HTTP, answered in JSON. Here are the paths, the
 * methods and what is no JSON; the commands themselves are in ../admin.
 */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { AdminView } from '../admin/admin-view.js';
import {
  type AdminCommand,
  type AdminRequest,
  type AdminResult,
  failure,
} from '../admin/command.js';
import {
  type AdminAnswer,
  answerCommand,
  answerOf,
  commandPage,
  findCommand,
  obstacle,
} from '../admin/commands.js';
import type { SnapshotFile } from './disk.js';
import { HttpListener, send } from './http-listener.js';

export interface AdminServerOptions {
  readonly host: string;
  readonly port: number;
  readonly idleTimeoutMs: number;
  /** Below which the commands are: "/commands". */
  readonly commandURL: string;
  readonly admin: AdminView;
  /** The refusal of a request for the whole tree, or undefined when it may have it. */
  readonly authorize: (header: string | undefined, remoteIp: string) => AdminResult | undefined;
  readonly isSnapshotEnabled: boolean;
  /** Between two snapshots by command (admin.rateLimiterIntervalInMS). */
  readonly rateLimiterIntervalMs: number;
  /** Writes a snapshot; null for a server that has no disk to write it to. */
  readonly takeSnapshot: (() => Promise<SizedSnapshot>) | null;
}

export interface SizedSnapshot extends SnapshotFile {
  /** Bytes. */
  readonly size: number;
}

const MAX_BODY_LENGTH = 64 * 1024;
const JSON_TYPE = 'application/json';
const Status = {
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TOO_LARGE: 413,
  TOO_MANY: 429,
  NOT_IMPLEMENTED: 501,
  UNAVAILABLE: 503,
} as const;

export class AdminServer {
  private readonly options: AdminServerOptions;
  private readonly listener: HttpListener;
  private snapshotAllowedAt = 0;

  constructor(options: AdminServerOptions) {
    this.options = options;
    const { host, port, idleTimeoutMs } = options;
    const answer = this.answer.bind(this);
    this.listener = new HttpListener({ host, port, idleTimeoutMs, answer });
  }

  get port(): number {
    return this.listener.port;
  }

  listen(): Promise<void> {
    return this.listener.listen();
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { commandURL, admin } = this.options;
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (path === commandURL || path === `${commandURL}/`) {
      send(response, 200, 'text/html; charset=utf-8', commandPage(commandURL));
      return;
    }
    if (!path.startsWith(`${commandURL}/`)) {
      send(response, Status.NOT_FOUND, 'text/plain; charset=utf-8', `see ${commandURL}\n`);
      return;
    }
    const name = decode(path.slice(commandURL.length + 1));
    const command = findCommand(name);
    const refusal = refuse(command, request);
    if (refusal !== undefined) {
      sendAnswer(response, answerOf(name, refusal));
      return;
    }
    const body = request.method === 'POST' ? await readBody(request) : '';
    if (body === undefined) {
      const result = failure('the body is too long', Status.TOO_LARGE);
      sendAnswer(response, answerOf(name, result), { Connection: 'close' });
      return;
    }
    const asked = { query: new Map(new URLSearchParams(query)), body };
    if (command?.isGuarded === true) await this.answerGuarded(command, asked, request, response);
    else sendAnswer(response, answerCommand(admin, name, asked));
  }

  private async answerGuarded(
    command: AdminCommand,
    asked: AdminRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { admin, authorize, takeSnapshot } = this.options;
    const refusal =
      obstacle(admin, command, asked) ??
      authorize(request.headers.authorization, request.socket.remoteAddress ?? '') ??
      (command.name === 'snapshot' ? this.refuseSnapshot() : NO_RESTORE);
    if (refusal !== undefined || takeSnapshot === null) {
      sendAnswer(response, answerOf(command.name, refusal ?? IN_MEMORY));
      return;
    }
    const { path, zxid, size } = await takeSnapshot();
    const headers = {
      last_zxid: `0x${BigInt.asUintN(64, zxid).toString(16)}`,
      snapshot_size: String(size),
    };
    if (asked.query.get('streaming') === 'false') {
      sendAnswer(response, answerOf(command.name, { fields: {} }), headers);
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', ...headers });
    // Who asked may go away in the middle: nobody else is concerned.
    await pipeline(createReadStream(path), response).catch(() => response.destroy());
  }

  private refuseSnapshot(): AdminResult | undefined {
    const { isSnapshotEnabled, rateLimiterIntervalMs, takeSnapshot } = this.options;
    if (!isSnapshotEnabled) {
      return failure('the command is disabled (admin.snapshot.enabled)', Status.UNAVAILABLE);
    }
    if (takeSnapshot === null) return IN_MEMORY;
    const now = performance.now();
    if (now < this.snapshotAllowedAt) {
      const seconds = Math.ceil((this.snapshotAllowedAt - now) / 1000);
      return failure(`too many requests: the next one in ${seconds} s`, Status.TOO_MANY);
    }
    this.snapshotAllowedAt = now + rateLimiterIntervalMs;
    return undefined;
  }
}

const IN_MEMORY = failure('the server keeps its data in memory', Status.UNAVAILABLE);
const NO_RESTORE = failure(
  'a running server takes no snapshot: put the file into the version-2 folder of an empty dataDir as snapshot.<last_zxid> and start the server there with snapshot.trust.empty=true',
  Status.NOT_IMPLEMENTED,
);

/** What is wrong with the way `command` was asked for. */
function refuse(
  command: AdminCommand | undefined,
  { method, headers }: IncomingMessage,
): AdminResult | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && method !== 'POST') {
    return failure('expected GET or POST', Status.METHOD_NOT_ALLOWED);
  }
  if (command?.method === 'POST' && isRead) {
    return failure('expected POST', Status.METHOD_NOT_ALLOWED);
  }
  // A browser says where a request comes from: a page elsewhere must not change anything here.
  const site = headers['sec-fetch-site'];
  if (command?.isChange === true && (site === 'cross-site' || site === 'same-site')) {
    return failure('a page of another site must not ask for it', Status.FORBIDDEN);
  }
  return undefined;
}

function sendAnswer(
  response: ServerResponse,
  { status, body }: AdminAnswer,
  headers: Readonly<Record<string, string>> = {},
): void {
  send(response, status, JSON_TYPE, body, headers);
}

/** Undefined when it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > MAX_BODY_LENGTH) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
