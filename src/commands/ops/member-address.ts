import { formatServerAddress, type ServerAddress } from '../../client/connect-string.js';

/** Where a member is, and what the list says of it. */
export interface MemberAddress extends ServerAddress {
  /** What the output calls it instead of `host:port`. */
  readonly name?: string;
  /** Of its AdminServer, which is asked for what the words do not tell. */
  readonly adminPort?: number;
  /** It has no vote, and is not counted among the voters while it does not answer. */
  readonly isObserver?: true;
}

export function nameOf(address: MemberAddress): string {
  return address.name ?? formatServerAddress(address);
}
