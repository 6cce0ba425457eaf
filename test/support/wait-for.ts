import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until `condition` returns a value other than false, null, or undefined. Throws after the
 * timeout.
 */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = 30_000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await delay(10);
  }
}
