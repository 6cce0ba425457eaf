import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { AdminView } from '../../admin/admin-view.js';
import type { Requester } from '../../admin/authorize.js';
import {
  type AdminCommand,
  type AdminRequest,
  type AdminResult,
  failure,
} from '../../admin/command.js';
import {
  type AdminAnswer,
  answerCommand,
  answerOf,
  commandPage,
  findCommand,
  obstacle,
} from '../../admin/commands.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import type { TreeTransfer } from '../driver/tree-transfer.js';
import { addressOf } from '../sockets/remote-name.js';
import type { HttpTls } from './http-gate.js';
import { HSTS, HttpListener, send, sendPieces } from './http-listener.js';

/** The AdminServer (JettyAdminServer): commands over HTTP. ../admin has the commands. */

export interface AdminServerOptions {
  readonly host: string;
  readonly port: number;
  readonly idleTimeoutMs: number;
  readonly commandURL: string;
  readonly admin: AdminView;
  readonly authorize: (who: Requester, command: AdminCommand) => AdminResult | undefined;
  /** Names of this server and its ensemble, beside addresses and names of a private network. */
  readonly hostNames: () => Iterable<string>;
  /** IPAuthenticationProvider.usexforwardedfor */
  readonly isForwardedForTaken: boolean;
  readonly tls?: HttpTls;
  readonly onLimit: (limit: LimitName, from: string, value?: number) => void;
  readonly transfer: Pick<TreeTransfer, 'refuse' | 'snapshot' | 'restore'>;
}

const MAX_BODY_LENGTH = LIMITS.httpBodyBytes.value;
const JSON_TYPE = 'application/json';
const Status = {
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TOO_LARGE: 413,
} as const;
/** For requests whose body is not read. */
const END = { Connection: 'close' };

export class AdminServer {
  private readonly options: AdminServerOptions;
  private readonly listener: HttpListener;

  constructor(options: AdminServerOptions) {
    this.options = options;
    const { host, port, idleTimeoutMs, onLimit } = options;
    const answer = this.answer.bind(this);
    const secured = options.tls === undefined ? {} : { tls: options.tls };
    this.listener = new HttpListener({ host, port, idleTimeoutMs, onLimit, answer, ...secured });
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
    if ('encrypted' in request.socket) response.setHeader(...HSTS);
    if (!isKnownHost(request.headers.host, this.options.hostNames)) {
      const text = 'unknown name in the header Host: add it to admin.hostNames\n';
      send(response, Status.FORBIDDEN, 'text/plain; charset=utf-8', text, END);
      return;
    }
    const [path = '', search = ''] = (request.url ?? '').split('?', 2);
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
      this.sendAnswer(response, answerOf(name, refusal));
      return;
    }
    const query = new Map(new URLSearchParams(search));
    if (command?.isGuarded === true) {
      const adminRequest = { query, body: '' };
      const forbidden =
        obstacle(admin, command, adminRequest) ?? this.refuseUnauthorized(request, command);
      if (forbidden !== undefined) {
        this.sendAnswer(response, answerOf(name, forbidden), END);
        return;
      }
      if (command.run === undefined) {
        await this.move(command, adminRequest, request, response);
        return;
      }
    }
    // The socket of an unread body must be closed.
    const from = addressOf(request.socket);
    const body = request.method === 'POST' ? await readBody(request) : '';
    if (body === undefined) {
      this.options.onLimit('httpBodyBytes', from);
      const result = failure('the body is too long', Status.TOO_LARGE);
      this.sendAnswer(response, answerOf(name, result), END);
      return;
    }
    this.sendAnswer(response, answerCommand(admin, name, { query, body }));
  }

  private sendAnswer(
    response: ServerResponse,
    { status, pieces }: AdminAnswer,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    const onLong = (): void => this.listener.allowTransfer(response.req);
    sendPieces(response, { status, contentType: JSON_TYPE, pieces, headers, onLong });
  }

  private refuseUnauthorized(
    request: IncomingMessage,
    command: AdminCommand,
  ): AdminResult | undefined {
    const who = {
      header: request.headers.authorization,
      remoteIp: this.addressOf(request),
      certificateSubject: this.listener.subjectOf(request),
    };
    return this.options.authorize(who, command);
  }

  /** With a trusted proxy, the first address of the header. */
  private addressOf({ headers, socket }: IncomingMessage): string {
    const forwarded = this.options.isForwardedForTaken ? headers['x-forwarded-for'] : undefined;
    return (
      String(forwarded ?? addressOf(socket))
        .split(',', 1)[0]
        ?.trim() ?? ''
    );
  }

  private async move(
    command: AdminCommand,
    adminRequest: AdminRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const name = command.name === 'restore' ? 'restore' : 'snapshot';
    const refusal = this.options.transfer.refuse(name);
    if (refusal !== undefined) {
      this.sendAnswer(response, answerOf(name, refusal), END);
      return;
    }
    this.listener.allowTransfer(request);
    if (name === 'restore') await this.restore(request, response);
    else await this.snapshot(adminRequest, response);
  }

  private async restore(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // No bytes move on the connection while a large tree is written to disk.
    const { socket } = request;
    request.once('end', () => socket.setTimeout(0));
    const result = await this.options.transfer.restore(request);
    this.sendAnswer(response, answerOf('restore', result), END);
  }

  private async snapshot(adminRequest: AdminRequest, response: ServerResponse): Promise<void> {
    const { path, zxid, size } = await this.options.transfer.snapshot();
    const headers = {
      last_zxid: `0x${BigInt.asUintN(64, zxid).toString(16)}`,
      snapshot_size: String(size),
    };
    if (adminRequest.query.get('streaming') === 'false') {
      this.sendAnswer(response, answerOf('snapshot', { fields: {} }), headers);
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', ...headers });
    // The client may disconnect midway.
    await pipeline(createReadStream(path), response).catch(() => response.destroy());
  }
}

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
  // Browsers report the origin of a request: a page of another site must not change anything.
  const site = headers['sec-fetch-site'];
  if (command?.isChange === true && (site === 'cross-site' || site === 'same-site')) {
    return failure('not allowed for a page of another site', Status.FORBIDDEN);
  }
  return undefined;
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

/** No stranger can own a name below these, or one without a dot. */
const PRIVATE = /(?:^|\.)(?:localhost|local|internal|svc)$/;

/**
 * Against DNS rebinding: a page may give its own name the address of this server, but its browser
 * still sends that name.
 * @param header `Host`; a request without it comes from no browser
 * @param ownNames called only if the rest does not decide
 */
function isKnownHost(header: string | undefined, ownNames: () => Iterable<string>): boolean {
  if (header === undefined) return true;
  const host = plainHost(header.replace(/:\d*$/, ''));
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  if (!host.includes('.') || PRIVATE.test(host)) return true;
  for (const name of ownNames()) if (name === '*' || plainHost(name) === host) return true;
  return false;
}

function plainHost(name: string): string {
  return name.trim().replace(/\.$/, '').toLowerCase();
}
