import type { Token } from '../language/parse-line.js';

/** Credentials of scheme digest with only the user, which addauth completes at a prompt. */
export function lacksPassword(scheme: string, auth: string): boolean {
  return scheme === 'digest' && auth !== '' && !auth.includes(':');
}

/** Whether these words cause a password prompt, which hides its input. */
export function asksForPassword([name, scheme, auth, ...rest]: readonly Token[]): boolean {
  if (name?.text !== 'addauth' || auth === undefined || rest.length > 0) return false;
  return lacksPassword(scheme?.text ?? '', auth.text);
}
