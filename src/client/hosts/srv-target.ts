// Servers from DNS: srv://_zookeeper._tcp.example.org[/chroot]; srvs:// for TLS. dns-srv:// is the
// form of Apache's client 3.10, with any name.

import { pathFault } from '../../protocol/path.js';
import { chrootStart, formatServerAddress } from '../base/connect-string.js';
import { ConnectError } from '../base/errors.js';

/** One SRV record (RFC 2782). */
export interface SrvRecord {
  /** The host. */
  readonly name: string;
  /** 1 to 65535. */
  readonly port: number;
  /** Lower values come first. */
  readonly priority: number;
  /** Its share among records of one priority. */
  readonly weight: number;
}

/** Queries the SRV records of a name. */
export type LookUp = (name: string) => Promise<readonly SrvRecord[]>;

const TIMEOUT_MS = 2000;
const TRIES = 2;
const SCHEME = /^(?:srvs?|dns-srv):\/\//;
const NAME = /^_[^./\s,:]+(\.[^./\s,:]+)+\.?$/;
const APACHE_NAME = /^[^./\s,:]+(\.[^./\s,:]+)*\.?$/;
const HOST = /^[\w.-]+$/;

export function isSrvTarget(target: string): boolean {
  return SCHEME.test(target);
}

/** @throws RangeError that names the invalid part */
export function checkSrvTarget(target: string): void {
  const { name, chroot } = partsOf(target);
  const isApache = target.startsWith('dns-srv://');
  if (!(isApache ? APACHE_NAME : NAME).test(name)) {
    const expected = isApache ? 'a name with SRV records' : '_service._protocol.domain';
    throw new RangeError(`invalid name: "${name}" (expected ${expected})`);
  }
  const fault = chroot === '' ? undefined : pathFault(chroot);
  if (fault !== undefined) throw new RangeError(`invalid chroot: ${chroot}: ${fault}`);
}

/** @throws ConnectError with the reason */
export async function resolveSrv(
  target: string,
  lookUp: LookUp = lookUpIn(process.env),
  random: () => number = Math.random,
): Promise<string> {
  const { name, chroot, isSecure } = partsOf(target);
  const records = await lookUp(name).catch((error: unknown) => {
    throw new ConnectError(`${name}: ${reasonOf(error)}`, [], error);
  });
  // A single dot means that the service is not available.
  const servers = records.filter((record) => record.name !== '' && record.name !== '.');
  // A name server could else choose further servers, or the chroot.
  const strange = servers.find((record) => !HOST.test(record.name));
  if (strange !== undefined) {
    throw new ConnectError(`${name}: the name server sent an invalid host: "${strange.name}"`);
  }
  if (servers.length === 0) {
    throw new ConnectError(`${name}: the name server reports that the service does not exist`);
  }
  const list = inOrder(servers, random).map(({ name: host, port }) =>
    formatServerAddress({ host: host.replace(/\.$/, ''), port }),
  );
  return `${isSecure ? 'zks://' : ''}${list.join()}${chroot}`;
}

function partsOf(target: string) {
  const at = chrootStart(target);
  return {
    name: target.slice(0, at).replace(SCHEME, ''),
    chroot: target.slice(at).replace(/(?<!\/)\/+$/, ''),
    isSecure: target.startsWith('srvs://'),
  };
}

/** Sorts by priority, then randomly in proportion to the weights (RFC 2782). */
function inOrder(records: readonly SrvRecord[], random: () => number): readonly SrvRecord[] {
  const priorities = [...new Set(records.map(({ priority }) => priority))].sort((a, b) => a - b);
  return priorities.flatMap((priority) => {
    const left = records.filter((record) => record.priority === priority);
    const drawn: SrvRecord[] = [];
    while (left.length > 0) drawn.push(...left.splice(draw(left, random), 1));
    return drawn;
  });
}

function draw(records: readonly SrvRecord[], random: () => number): number {
  // RFC 2782: a weight of 0 has a small chance.
  const weights = records.map(({ weight }) => weight + 0.01);
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return at === -1 ? records.length - 1 : at;
}

/** Asks the name servers of ZKSH_DNS, or those of the system. */
export function lookUpIn(env: Readonly<Record<string, string | undefined>>): LookUp {
  return async (name) => {
    const { promises } = await import('node:dns');
    const resolver = new promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    const servers = env['ZKSH_DNS'] ?? '';
    if (servers !== '') resolver.setServers(servers.split(',').map((server) => server.trim()));
    return resolver.resolveSrv(name);
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no name server knows such a name',
  ENODATA: 'the name exists, but has no SRV record',
  ESERVFAIL: 'the name server failed',
  EREFUSED: 'the name server refused to answer',
  ECONNREFUSED: 'no name server answers',
  ETIMEOUT: `no name server answered within ${(TIMEOUT_MS * TRIES) / 1000} s`,
  EBADRESP: 'the name server sent an invalid answer',
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}
