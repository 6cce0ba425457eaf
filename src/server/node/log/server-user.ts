import { userInfo } from 'node:os';

/** A container may run under an id without an entry in /etc/passwd; Java calls such a user "?". */
export function serverUser(): { readonly username: string; readonly homedir: string } {
  try {
    return userInfo();
  } catch {
    return { username: '?', homedir: process.env['HOME'] ?? '?' };
  }
}
