/**
 * Calls into the program. What it throws must break neither the session nor the calls that follow:
 * it is uncaught, in a turn of its own.
 */
import type { EventEmitter } from 'node:events';

export function report(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Calls each listener of an event, as a recipe must hear of a lost session in any case. */
export function emitToEach(emitter: EventEmitter, event: string, ...args: unknown[]): void {
  for (const listener of emitter.rawListeners(event)) {
    report(() => Reflect.apply(listener, emitter, args));
  }
}
