import type { Event } from '../../events.js';
import { limitErrorOf } from '../../limits/limit-error.js';

export function reportLimit(step: (event: Event) => void, error: unknown, from: string): void {
  const found = limitErrorOf(error);
  if (found === undefined) return;
  const { limit, value } = found;
  step({ kind: 'limit-exceeded', limit, from, value });
}
