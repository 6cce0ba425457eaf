import type { InputArchive } from '../jute/input-archive.js';
import { JuteError } from '../jute/jute-error.js';
import { OutputArchive } from '../jute/output-archive.js';
import { type ACL, ACLVector } from './data.js';
import { OPEN_ACL_UNSAFE } from './perms.js';

const OPEN_BYTES = encodeOpenAcl();

/** Nearly every ACL is world:anyone:ALL: its bytes map to one constant, which `===` recognizes. */
export function readAcl(input: InputArchive): readonly ACL[] {
  if (!isOpenAt(input)) return ACLVector.read(input);
  input.at += OPEN_BYTES.length;
  return OPEN_ACL_UNSAFE;
}

/**
 * The ACL of a request, possibly with null strings. A null scheme reads as "", which no server
 * knows; so does the null id of `auth`.
 * @throws JuteError for a null id of a scheme that reads it, where Apache's server fails, too
 */
export function readRequestedAcl(input: InputArchive): readonly ACL[] {
  if (isOpenAt(input)) return readAcl(input);
  const acl: ACL[] = [];
  for (let left = input.readCount(MIN_ENTRY_SIZE); left > 0; left--) {
    const perms = input.readInt();
    const scheme = input.readString() ?? '';
    const id = input.readString();
    if (id === null && NEEDS_ID.has(scheme)) throw new JuteError(`an id of ${scheme} is null`);
    acl.push({ perms, id: { scheme, id: id ?? '' } });
  }
  return acl;
}

/** Int perms and the lengths of two strings. */
const MIN_ENTRY_SIZE = 12;
const NEEDS_ID: ReadonlySet<string> = new Set(['world', 'digest', 'ip', 'sasl', 'x509', 'super']);

export function writeAcl(out: OutputArchive, acl: readonly ACL[]): void {
  if (acl === OPEN_ACL_UNSAFE) out.writeRun(OPEN_BYTES, 0, OPEN_BYTES.length);
  else ACLVector.write(out, acl);
}

function isOpenAt({ bytes, at, remaining }: InputArchive): boolean {
  if (remaining < OPEN_BYTES.length) return false;
  for (let i = 0; i < OPEN_BYTES.length; i++) {
    if (bytes[at + i] !== OPEN_BYTES[i]) return false;
  }
  return true;
}

function encodeOpenAcl(): Buffer {
  const out = new OutputArchive();
  ACLVector.write(out, OPEN_ACL_UNSAFE);
  return out.take();
}

/** Equal for equal ACLs. Order matters: Apache compares ACL lists as lists. */
export function aclText(acl: readonly ACL[]): string {
  return acl.map(({ perms, id }) => `${perms}:${JSON.stringify([id.scheme, id.id])}`).join();
}
