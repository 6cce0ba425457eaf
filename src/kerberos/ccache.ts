/**
 * The tickets that kinit wrote: a credential cache of MIT's format 0x0503 or 0x0504, the type FILE
 * (https://web.mit.edu/kerberos/krb5-latest/doc/formats/ccache_file_format.html).
 */
import type { Credentials } from './get-ticket.js';
import { KerberosError } from './kerberos-error.js';

const OLD_FORMAT = 0x0503;
const FORMAT = 0x0504;
/** Settings of MIT's library look like tickets for this realm. */
const SETTINGS_REALM = 'X-CACHECONF:';
/** More names, addresses, or data than any ticket has. */
const MAX_COUNT = 1000;

export interface CredentialCache {
  readonly principal: string;
  readonly credentials: readonly Credentials[];
}

/** @throws KerberosError */
export function parseCredentialCache(bytes: Buffer): CredentialCache {
  const format = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (format !== FORMAT && format !== OLD_FORMAT) {
    const problem = 'not a credential cache (expected format 0x0503 or 0x0504, as kinit writes it)';
    throw new KerberosError(problem, { kind: 'local' });
  }
  try {
    return readCache(new Reader(bytes, 2), format === OLD_FORMAT);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const problem = 'damaged credential cache: it ends too early';
    throw new KerberosError(problem, { cause, kind: 'local' });
  }
}

function readCache(reader: Reader, isOld: boolean): CredentialCache {
  if (!isOld) reader.skip(reader.short());
  const principal = principalIn(reader);
  const credentials: Credentials[] = [];
  while (!reader.isAtEnd) {
    const read = credentialsIn(reader, isOld);
    if (!read.service.endsWith(`@${SETTINGS_REALM}`)) credentials.push(read);
  }
  return { principal, credentials };
}

function credentialsIn(reader: Reader, isOld: boolean): Credentials {
  const client = principalIn(reader);
  const service = principalIn(reader);
  const enctype = reader.short();
  if (isOld) reader.short();
  const key = { enctype, bytes: Buffer.from(reader.counted()) };
  const loginMs = reader.long() * 1000;
  const startMs = reader.long() * 1000 || loginMs;
  const endMs = reader.long() * 1000;
  // Renewable until, whether the key comes from another ticket, flags.
  reader.skip(4 + 1 + 4);
  // Addresses, then authorization data.
  for (let list = 0; list < 2; list++) {
    for (let left = reader.count(); left > 0; left--) {
      reader.short();
      reader.counted();
    }
  }
  const ticket = Buffer.from(reader.counted());
  reader.counted();
  return { client, service, ticket, key, startMs, endMs };
}

function principalIn(reader: Reader): string {
  reader.long();
  const components = reader.count();
  const realm = reader.counted().toString('utf8');
  const names = Array.from({ length: components }, () => reader.counted().toString('utf8'));
  return `${names.join('/')}@${realm}`;
}

class Reader {
  private readonly bytes: Buffer;
  private at: number;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  skip(length: number): void {
    this.at += length;
    if (this.at > this.bytes.length) throw new RangeError('too short');
  }

  short(): number {
    this.skip(2);
    return this.bytes.readUInt16BE(this.at - 2);
  }

  long(): number {
    this.skip(4);
    return this.bytes.readUInt32BE(this.at - 4);
  }

  count(): number {
    const count = this.long();
    if (count > MAX_COUNT) throw new RangeError('too many');
    return count;
  }

  counted(): Buffer {
    const length = this.long();
    this.skip(length);
    return this.bytes.subarray(this.at - length, this.at);
  }
}
