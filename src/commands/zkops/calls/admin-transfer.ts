// Changes of an ensemble by an AdminServer: snapshot and restore transfer a whole tree over HTTP.

import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runFault } from '../../ensemble/run-fault.js';
import { usageError } from '../../program/command-error.js';
import type { TaskCall } from './task.js';

/** The idle timeout. A server writes a large snapshot before it sends the first byte. */
const IDLE_MS = 300_000;
const MAX_ANSWER = 65_536;

/** @throws CommandError for a URL of no AdminServer */
export function adminOf(call: TaskCall): URL {
  const text = call.text('admin') ?? '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usageError(`--admin: not an AdminServer: ${text} (expected http://HOST:8080)`);
}

export interface AdminTarget {
  readonly admin: URL;
  /** `user:password` for the digest scheme. */
  readonly auth: string | undefined;
  readonly signal: AbortSignal;
}

function targetOf(call: TaskCall): AdminTarget {
  return { admin: adminOf(call), auth: call.text('auth'), signal: call.signal };
}

function send(
  { admin, auth, signal }: AdminTarget,
  command: string,
  options: RequestOptions,
  body: Readable | undefined = undefined,
): Promise<IncomingMessage> {
  // The server requires an id, even if everyone may read the root. Without `auth`, the id is the
  // address.
  const headers = { authorization: auth === undefined ? 'ip' : `digest ${auth}` };
  const url = new URL(`/commands/${command}`, admin);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { ...options, headers: { ...headers, ...options.headers }, signal },
      resolve,
    );
    sent.setTimeout(IDLE_MS, () => sent.destroy(new Error('no answer in time')));
    sent.once('error', (error) => {
      if (signal.aborted) reject(error);
      else reject(runFault(`${admin.origin}: ${error.message}`, { cause: error }));
    });
    if (body === undefined) sent.end();
    else pipeline(body, sent).catch(reject);
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text = `${text}${chunk}`.slice(0, MAX_ANSWER);
  return text;
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'it needs every permission on the root znode: add --auth USER:PASSWORD',
  403: 'it needs every permission on the root znode, by an entry for you: add --auth USER:PASSWORD',
  404: "the server lacks this command: Apache's server has it since 3.9",
  409: 'zkops health shows the leader: name it with --admin, and try again',
  429: 'it allows one in admin.rateLimiterIntervalInMS: wait, or lower that',
  503: 'the server does not serve, or the command is disabled in its zoo.cfg',
};

async function refused({ admin }: AdminTarget, answer: IncomingMessage): Promise<never> {
  const { statusCode = 0 } = answer;
  const text = await textOf(answer);
  const [, error] = /"error"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  const advice = ADVICE[statusCode] ?? 'see the log of the server';
  const reason = error === undefined ? '' : `: ${error}`;
  throw runFault(`${admin.origin}: status ${statusCode}${reason}\n${advice}`);
}

/** Makes the server take a snapshot. Resolves to the stream of it. @throws CommandError */
export async function requestSnapshot(target: AdminTarget): Promise<IncomingMessage> {
  const answer = await send(target, 'snapshot?streaming=true', { method: 'GET' });
  return answer.statusCode === 200 ? answer : refused(target, answer);
}

/** Writes a new snapshot of the server to a file. Resolves to its zxid, in the server's form. */
export async function fetchSnapshot(call: TaskCall, file: string): Promise<string | undefined> {
  const answer = await requestSnapshot(targetOf(call));
  const total = Number(answer.headers['snapshot_size'] ?? 0);
  let done = 0;
  answer.on('data', (chunk: Buffer) => {
    done += chunk.length;
    call.progress('snapshot', done, total);
  });
  await pipeline(answer, createWriteStream(file, { flags: 'w', mode: 0o640 }));
  if (total > 0 && done !== total) {
    throw runFault(
      `${adminOf(call).origin}: the snapshot has ${done} bytes (expected ${total}): run the command again`,
    );
  }
  const zxid = answer.headers['last_zxid'];
  return typeof zxid === 'string' ? zxid : undefined;
}

/** Replaces the tree of the server. Resolves to its answer. */
export async function sendSnapshot(call: TaskCall, file: string): Promise<string> {
  const { size } = await stat(file);
  const headers = { 'content-type': 'application/octet-stream', 'content-length': size };
  const target = targetOf(call);
  const body = createReadStream(file);
  const answer = await send(target, 'restore', { method: 'POST', headers }, body);
  if (answer.statusCode !== 200) return refused(target, answer);
  return textOf(answer);
}

/** Lets another voter lead. @throws CommandError with the reason why the leader cannot */
export async function requestMove(target: AdminTarget, to: string): Promise<void> {
  const body = Readable.from([JSON.stringify({ to: Number(to) })]);
  const answer = await send(target, 'move_leader', { method: 'POST' }, body);
  if (answer.statusCode !== 200) await refused(target, answer);
  const text = await textOf(answer);
  if (!text.includes('Unknown command')) return;
  throw runFault(
    `${target.admin.origin}: the leader cannot hand over: it has no command move_leader\nOnly zkserver has it: stop an Apache leader to make another one lead`,
  );
}
