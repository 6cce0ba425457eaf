import { isIP } from 'node:net';

/** No stranger can own a name below these, or one without a dot. */
const PRIVATE = /(?:^|\.)(?:localhost|local|internal|svc)$/;

/**
 * Against DNS rebinding: a page may give its own name the address of this server, but its browser
 * still sends that name.
 * @param header `Host`; a request without it comes from no browser
 * @param ownNames called only if the rest does not decide
 */
export function isKnownHost(header: string | undefined, ownNames: () => Iterable<string>): boolean {
  if (header === undefined) return true;
  const host = plainHost(header.replace(/:\d*$/, ''));
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  if (!host.includes('.') || PRIVATE.test(host)) return true;
  for (const name of ownNames()) if (name === '*' || plainHost(name) === host) return true;
  return false;
}

function plainHost(name: string): string {
  return name.trim().replace(/\.$/, '').toLowerCase();
}
