import { homedir, userInfo } from 'node:os';

/**
 * The home of the user; `/` without one, as shells do. A container, or a unit with DynamicUser, may
 * run under an id without an entry in /etc/passwd, for which Node.js throws.
 */
export function homeFolder(): string {
  try {
    const home = homedir();
    return home.startsWith('/') ? home : '/';
  } catch {
    return '/';
  }
}

/** The name of the user, or the id without one; chown takes both. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `${process.getuid?.() ?? 'USER'}`;
  }
}
