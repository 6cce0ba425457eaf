import type { InputArchive } from '../jute/input-archive.js';
import { OutputArchive } from '../jute/output-archive.js';
import { type ACL, ACLVector } from './data.js';
import { OPEN_ACL_UNSAFE } from './perms.js';

const OPEN_BYTES = encodeOpenAcl();

/**
 * Reads an ACL vector. Nearly every create brings world:anyone:ALL: its bytes are known, and the
 * one constant for it is told by identity from then on.
 */
export function readAcl(input: InputArchive): readonly ACL[] {
  if (!isOpenAt(input)) return ACLVector.read(input);
  input.at += OPEN_BYTES.length;
  return OPEN_ACL_UNSAFE;
}

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
