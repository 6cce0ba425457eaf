/**
 * The lines server.N, group.N and weight.N of zoo.cfg and of the dynamic configuration
 * (QuorumPeer.QuorumServer, QuorumHierarchical).
 *
 * ```
 *   server.3=host:2888:3888[:participant|observer][|host2:2889:3889…][;client][;tlsClient]
 * ```
 *
 * `client` and `tlsClient` are `[address:]port`. An empty `client` leaves only the TLS port.
 */

export interface QuorumAddress {
  readonly host: string;
  readonly quorumPort: number;
  readonly electionPort: number;
}

export interface ClientPlace {
  /** Null means all addresses. */
  readonly address: string | null;
  readonly port: number;
}

/** A `server.N` of zoo.cfg. */
export interface QuorumServerConfig {
  /** The N. */
  readonly sid: number;
  /** Several only with multiAddress.enabled. */
  readonly addresses: readonly QuorumAddress[];
  /** A participant votes. */
  readonly role: 'participant' | 'observer';
  /** Null if zoo.cfg's clientPort applies. */
  readonly client: ClientPlace | null;
  /** For TLS, since 3.10; null if zoo.cfg's secureClientPort applies. */
  readonly secureClient: ClientPlace | null;
}

export interface EnsembleLines {
  /** By sid. */
  readonly servers: Map<number, QuorumServerConfig>;
  /** Sids by group number. */
  readonly groups: Map<number, readonly number[]>;
  /** By sid; the default is 1. */
  readonly weights: Map<number, number>;
}

export interface EnsembleRules {
  readonly standaloneEnabled: boolean;
  readonly multiAddressEnabled: boolean;
}

/** What Apache's server refuses in these members (QuorumPeerConfig.parseDynamicConfig), or "". */
export function problemOf(
  servers: Iterable<QuorumServerConfig>,
  { standaloneEnabled, multiAddressEnabled }: EnsembleRules,
): string {
  let [voters, observers] = [0, 0];
  for (const { sid, addresses, role } of servers) {
    if (role === 'participant') voters++;
    else observers++;
    if (addresses.length > 1 && !multiAddressEnabled) {
      return `server.${sid} has ${addresses.length} addresses (expected one, or multiAddress.enabled=true)`;
    }
  }
  if (voters === 0 && observers > 0) return 'observers only (expected at least one participant)';
  const isLone = voters === 1 && observers > 0 && standaloneEnabled;
  return isLone
    ? 'one participant with observers (expected more participants, or standaloneEnabled=false)'
    : '';
}

export function isEnsembleKey(key: string): boolean {
  return /^(server|group|weight)\./.test(key);
}

/** Adds a line to `lines`. Returns an error message, or undefined. */
export function parseEnsembleLine(
  lines: EnsembleLines,
  key: string,
  value: string,
): string | undefined {
  const [kind, id] = [key.slice(0, key.indexOf('.')), key.slice(key.indexOf('.') + 1)];
  if (!/^-?\d{1,9}$/.test(id)) return `invalid id: "${id}" (expected an integer after "${kind}.")`;
  const number = Number(id);
  if (kind === 'server') {
    const server = parseServer(number, value);
    if (typeof server === 'string') return server;
    if (lines.servers.has(number)) return `duplicate server ${number}`;
    lines.servers.set(number, server);
    return undefined;
  }
  if (kind === 'group') {
    const members = value.split(':');
    if (!members.every((sid) => /^\d{1,9}$/.test(sid))) {
      return `invalid group: "${value}" (expected server ids separated by ":")`;
    }
    lines.groups.set(number, members.map(Number));
    return undefined;
  }
  if (!/^\d{1,9}$/.test(value)) return `invalid weight: "${value}" (expected 0 or more)`;
  lines.weights.set(number, Number(value));
  return undefined;
}

const FORM = 'host:port:port[:participant|observer][;[address:]port[;[address:]tlsPort]]';

function parseServer(sid: number, value: string): QuorumServerConfig | string {
  const [quorumPart = '', clientPart = '', securePart = '', ...rest] = value.split(';');
  if (rest.length > 0) return `too many ";": "${value}" (expected at most two)`;
  const addresses: QuorumAddress[] = [];
  let role: QuorumServerConfig['role'] = 'participant';
  for (const text of quorumPart.split('|')) {
    const parts = splitHost(text.trim());
    const [host = '', quorum = '', election = '', type, ...more] = parts;
    const quorumPort = portOf(quorum);
    const electionPort = portOf(election);
    if (host === '' || quorumPort === undefined || electionPort === undefined || more.length > 0) {
      return `invalid server: "${value}" (expected ${FORM})`;
    }
    if (type !== undefined) {
      const word = type.toLowerCase();
      if (word !== 'participant' && word !== 'observer') {
        return `invalid role: "${type}" (expected participant or observer)`;
      }
      role = word;
    }
    addresses.push({ host, quorumPort, electionPort });
  }
  const client = parseClientPlace(clientPart.trim());
  if (typeof client === 'string') return client;
  const secureClient = parseClientPlace(securePart.trim());
  if (typeof secureClient === 'string') return secureClient;
  return { sid, addresses, role, client, secureClient };
}

/** Null for an empty part; a string describes the error. */
function parseClientPlace(text: string): ClientPlace | null | string {
  if (text === '') return null;
  const parts = splitHost(text);
  const port = portOf(parts.at(-1) ?? '');
  if (port === undefined || parts.length > 2) {
    return `invalid client address: "${text}" (expected [address:]port after ";")`;
  }
  return { address: parts.length === 2 ? (parts[0] ?? null) : null, port };
}

/** Splits at ":", but not inside the brackets of an IPv6 address, which are removed. */
function splitHost(text: string): string[] {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  if (bracketed === null) return text.split(':');
  const [, host = '', rest] = bracketed;
  return rest === undefined ? [host] : [host, ...rest.split(':')];
}

function portOf(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  return port >= 0 && port <= 65535 ? port : undefined;
}
