/**
 * The first bytes on an election connection (QuorumCnxManager.InitialMessage):
 *
 * ```
 *   long -65536 (one address) or -65535 (several) | long sid | int length | "host:port|host:port"
 *   long sid                                                 before 3.5: no version, no address
 * ```
 *
 * Apache's reader expects the whole address in one read, so it must be sent in one write.
 */
import { LIMITS, type LimitName } from '../../limits/limits.js';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

export interface Preamble {
  readonly sid: number;
  /** Empty if it sends none or a wildcard address. */
  readonly addresses: readonly HostPort[];
}

/** `length` is the size of the preamble in bytes; frames follow it. */
export type PreambleResult =
  | { readonly kind: 'preamble'; readonly preamble: Preamble; readonly length: number }
  | { readonly kind: 'need-more' }
  | { readonly kind: 'invalid'; readonly reason: string; readonly limit?: LimitName };

const ONE_ADDRESS = -65536n;
const SEVERAL_ADDRESSES = -65535n;
const FIXED_LENGTH = 20;
const MAX_ADDRESS_LENGTH = LIMITS.electionAddressLength.value;
/** Long.MAX_VALUE: an observer without a server id (QuorumPeer.OBSERVER_ID). */
const NAMELESS_OBSERVER = 0x7fff_ffff_ffff_ffffn;
const NEED_MORE: PreambleResult = { kind: 'need-more' };
/** The `sid` of an observer without an id: the reader assigns one. */
export const NAMELESS = -1;

/** @param isMultiAddress multiAddress.enabled, which older servers do not support */
export function encodePreamble({ sid, addresses }: Preamble, isMultiAddress: boolean): Buffer {
  const named = isMultiAddress ? addresses : addresses.slice(0, 1);
  const text = Buffer.from(named.map(formatHostPort).join('|'));
  const bytes = Buffer.alloc(FIXED_LENGTH + text.length);
  bytes.writeBigInt64BE(isMultiAddress ? SEVERAL_ADDRESSES : ONE_ADDRESS, 0);
  bytes.writeBigInt64BE(BigInt(sid), 8);
  bytes.writeInt32BE(text.length, 16);
  text.copy(bytes, FIXED_LENGTH);
  return bytes;
}

export function readPreamble(bytes: Buffer): PreambleResult {
  if (bytes.length < 8) return NEED_MORE;
  const first = bytes.readBigInt64BE(0);
  if (first >= 0n) return named(first, [], 8);
  if (first !== ONE_ADDRESS && first !== SEVERAL_ADDRESSES) {
    return invalid(`unknown protocol version: ${first} (expected -65536 or -65535)`);
  }
  if (bytes.length < FIXED_LENGTH) return NEED_MORE;
  const length = bytes.readInt32BE(16);
  if (length <= 0 || length > MAX_ADDRESS_LENGTH) {
    const reason = `invalid address length: ${length} (expected 1 to ${MAX_ADDRESS_LENGTH} bytes)`;
    return length <= 0 ? invalid(reason) : { ...invalid(reason), limit: 'electionAddressLength' };
  }
  const end = FIXED_LENGTH + length;
  if (bytes.length < end) return NEED_MORE;
  const addresses: HostPort[] = [];
  for (const text of bytes.toString('utf8', FIXED_LENGTH, end).split('|')) {
    const address = parseHostPort(text);
    if (address === undefined)
      return invalid(`invalid address: ${JSON.stringify(text)} (expected host:port)`);
    if (!isWildcard(address.host)) addresses.push(address);
  }
  return named(bytes.readBigInt64BE(8), addresses, end);
}

function named(sid: bigint, addresses: readonly HostPort[], length: number): PreambleResult {
  if (sid === NAMELESS_OBSERVER || sid === BigInt(NAMELESS)) {
    return { kind: 'preamble', preamble: { sid: NAMELESS, addresses }, length };
  }
  if (sid < 0n || sid > BigInt(Number.MAX_SAFE_INTEGER)) {
    return invalid(`invalid server id: ${sid}`);
  }
  return { kind: 'preamble', preamble: { sid: Number(sid), addresses }, length };
}

function invalid(reason: string) {
  return { kind: 'invalid', reason } as const;
}

/** "host:port", with brackets around an IPv6 address. */
function formatHostPort({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseHostPort(text: string): HostPort | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || port > 65535 ? undefined : { host, port };
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || /^0(:0){7}$/.test(host);
}
