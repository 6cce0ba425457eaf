/** Names of principals as text: "user@REALM", "service/host@REALM". */
import { KerberosError } from './kerberos-error.js';

export interface Principal {
  readonly names: readonly string[];
  readonly realm: string;
}

const PART = /^[^/@\p{Cc}]+$/u;

/** @param defaultRealm for a text without a realm @throws KerberosError */
export function namesOf(text: string, defaultRealm = ''): Principal {
  const at = text.indexOf('@');
  const realm = at < 0 ? defaultRealm : text.slice(at + 1);
  const names = (at < 0 ? text : text.slice(0, at)).split('/');
  if (![...names, realm].every((part) => PART.test(part))) {
    const hint = realm === '' ? ', or set default_realm in krb5.conf' : '';
    const problem = `invalid principal: "${text}" (expected user@REALM or service/host@REALM${hint})`;
    throw new KerberosError(problem, { kind: 'local' });
  }
  return { names, realm };
}

export function principalText({ names, realm }: Principal): string {
  return `${names.join('/')}@${realm}`;
}

/** The service that gives tickets for `realm`, as the KDC of `from` knows it. */
export function ticketService(realm: string, from: string): string {
  return `krbtgt/${realm}@${from}`;
}
