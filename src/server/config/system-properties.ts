import { OPTIONS } from './config-keys.js';

/** What -D may set, each with its summary. */
export function systemProperties(): readonly { readonly name: string; readonly about: string }[] {
  const read = Object.values(OPTIONS).filter(({ status }) => status !== 'no effect');
  return read.map(({ property, summary }) => ({ name: property, about: summary }));
}
