// Where in a document a value is: a pointer of RFC 6901 (/servers/0/host), or names with dots
// (servers[0].host), for names that hold none. Pure.

/** From the whole document inwards; an index is its digits. */
export type Steps = readonly string[];

/** @returns why it is none, as a clause, where it is none */
export function parsePointer(text: string): Steps | { readonly fault: string } {
  if (text === '' || text.startsWith('/')) return parseSlashes(text);
  const steps: string[] = [];
  for (const part of text.split('.')) {
    const match = /^([^[\]]*)((?:\[(?:\d+|-)\])*)$/.exec(part);
    const [, name = '', indexes = ''] = match ?? [];
    if (match === null) return { fault: `"${part}" is neither a name nor name[index]` };
    if (name === '' && (indexes === '' || steps.length > 0)) return { fault: 'a name is missing' };
    if (name !== '') steps.push(name);
    steps.push(...[...indexes.matchAll(/\[([^\]]+)\]/g)].map(([, index = '']) => index));
  }
  return steps;
}

function parseSlashes(text: string): Steps | { readonly fault: string } {
  if (/~(?![01])/.test(text)) return { fault: '~ is ~0 in a pointer, and / in a name is ~1' };
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function formatPointer(steps: Steps): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
