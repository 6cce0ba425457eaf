// Finds all members through one: by its word conf, or as a client if the whitelist refuses the
// word.

import type { ClientSasl } from '../../../client/base/kerberos.js';
import { WORDS } from '../../../fourlw/index.js';
import { safeLine } from '../../../protocol/sanitize.js';
import { askMember } from '../ask.js';
import { membershipOf } from '../grouped.js';
import { type MemberAddress, nameOf } from '../member-address.js';
import { runFault } from '../run-fault.js';
import { membersOfConfig } from '../zoo-cfg-members.js';
import type { RunOptions } from './run.js';

export interface DiscoverOptions extends RunOptions {
  readonly login?: Login | undefined;
}

/** How a client proves who it is. */
export interface Login {
  /** user:password for the digest scheme. */
  readonly auth: string | undefined;
  readonly sasl: ClientSasl | undefined;
}

/** Reads /zookeeper/config as a client. Throws on any failure. */
export type ReadConfig = (address: MemberAddress, run: DiscoverOptions) => Promise<string>;

/**
 * The membership, from the first of `known` that reports it. A static configuration has no client
 * ports, so all members then have the port of the reporting one.
 * @throws CommandError when no member reports a membership
 */
export async function discoverMembers(
  known: readonly MemberAddress[],
  run: DiscoverOptions,
  readConfig: ReadConfig,
): Promise<readonly MemberAddress[]> {
  const faults: string[] = [];
  for (const address of known) {
    try {
      return membersBy(await serverLines(address, run, readConfig), address);
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      faults.push(`${nameOf(address)}: ${safeLine(fault)}`);
    }
  }
  throw runFault(`--discover: no member reports the membership\n${faults.join('\n')}`);
}

async function serverLines(
  address: MemberAddress,
  run: DiscoverOptions,
  readConfig: ReadConfig,
): Promise<string> {
  const { ask, timeoutMs, tls } = run;
  const deadline = AbortSignal.timeout(run.deadlineMs);
  const answer = await askMember(ask, address, 'conf', {
    timeoutMs,
    deadline,
    ...(tls === undefined ? {} : { tls }),
  });
  if (!answer.ok) return readConfig(address, run);
  return membershipOf(WORDS.conf.parse(answer.text));
}

/** @throws Error for an unusable membership */
function membersBy(lines: string, { port, isSecure }: MemberAddress): readonly MemberAddress[] {
  if (!lines.includes('server.')) throw new Error('it is standalone, and knows no other members');
  const members = membersOfConfig(`clientPort=${port}\n${lines}`);
  const places = new Set(members.map(({ host, port: own }) => `${host} ${own}`));
  if (places.size < members.length) {
    throw new Error('its membership has no client ports, and several members share a host');
  }
  return isSecure === true ? members.map((member) => ({ ...member, isSecure })) : members;
}
