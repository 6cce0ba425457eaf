// An AdminServer has data that the words lack: metrics if the whitelist refuses mntr, and the role
// of a member that serves no clients.

import { loadHttp } from '../../base/load-on-demand.js';
import type { ParsedMntr } from '../../fourlw/mntr.js';
import type { MemberAddress } from './member-address.js';

/** Runs one command of an AdminServer. Throws on any failure. */
export type AskAdmin = (
  place: { readonly host: string; readonly port: number },
  command: string,
  limit: { readonly timeoutMs: number; readonly deadline: AbortSignal },
) => Promise<Readonly<Record<string, unknown>>>;

const MAX_LENGTH = 16 * 1024 * 1024;

/** @throws Error of the network, for an answer that is not JSON, or with the answer's `error` */
export const askAdmin: AskAdmin = async ({ host, port }, command, { timeoutMs, deadline }) => {
  const signal = AbortSignal.any([deadline, AbortSignal.timeout(timeoutMs)]);
  const text = await fetchText({ host, port, path: `/commands/${command}`, signal });
  // Ids and zxids have more digits than a double, so they become strings.
  const exact = text.replace(/(:\s*)(-?\d{16,})(?=\s*[,}\]])/g, '$1"$2"');
  const answer: unknown = JSON.parse(exact);
  if (typeof answer !== 'object' || answer === null) throw new Error('the answer is not an object');
  const { error, ...fields } = answer as Record<string, unknown>;
  if (typeof error === 'string') throw new Error(error);
  return fields;
};

function fetchText(place: {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly signal: AbortSignal;
}): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = loadHttp().request({ ...place, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_LENGTH) request.destroy(new Error('the answer is incomplete'));
      });
      response.on('error', reject);
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    request.on('error', reject);
    request.end();
  });
}

interface AdminLimit {
  readonly timeoutMs: number;
  readonly deadline: AbortSignal;
}

/** The metrics of mntr; undefined if the AdminServer does not answer. */
export async function monitorOf(
  ask: AskAdmin,
  address: MemberAddress,
  limit: AdminLimit,
): Promise<ParsedMntr | undefined> {
  const fields = await askOrUndefined(ask, address, 'monitor', limit);
  if (fields === undefined) return undefined;
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(fields)) {
    const isScalar = typeof value === 'string' || typeof value === 'number';
    if (key !== 'command' && isScalar) values.set(key, String(value));
  }
  const isPrometheus = [...values.keys()].some((key) => key.includes('{'));
  return { values, dialect: isPrometheus ? 'prometheus' : 'default', unknown: [] };
}

/** From the command zabstate. */
export async function leadsWithoutServing(
  ask: AskAdmin,
  address: MemberAddress,
  limit: AdminLimit,
): Promise<boolean> {
  const fields = await askOrUndefined(ask, address, 'zabstate', limit);
  return fields?.['is_leader'] === true && fields['zabstate'] === 'broadcast';
}

/** A failure of the AdminServer is not a problem of the member. */
async function askOrUndefined(
  ask: AskAdmin,
  { host, adminPort }: MemberAddress,
  command: string,
  limit: AdminLimit,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (adminPort === undefined) return undefined;
  return ask({ host, port: adminPort }, command, limit).catch(() => undefined);
}
