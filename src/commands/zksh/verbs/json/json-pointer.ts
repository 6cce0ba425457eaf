// A position in a document: an RFC 6901 pointer (/servers/0/host), or dotted names
// (servers[0].host).

/** Object keys and array indexes, outermost first. */
export type Steps = readonly string[];

/** @returns the steps, or the reason why the text is not a pointer */
export function parsePointer(text: string): Steps | { readonly fault: string } {
  if (text === '' || text.startsWith('/')) return parseSlashes(text);
  const steps: string[] = [];
  for (const part of text.split('.')) {
    const match = /^([^[\]]*)((?:\[(?:\d+|-)\])*)$/.exec(part);
    const [, name = '', indexes = ''] = match ?? [];
    if (match === null) return { fault: `expected a name or name[index], found "${part}"` };
    if (name === '' && (indexes === '' || steps.length > 0)) return { fault: 'missing name' };
    if (name !== '') steps.push(name);
    steps.push(...[...indexes.matchAll(/\[([^[\]]+)\]/g)].map(([, index = '']) => index));
  }
  return steps;
}

function parseSlashes(text: string): Steps | { readonly fault: string } {
  if (/~(?![01])/.test(text)) return { fault: 'escape ~ as ~0, and / in a name as ~1' };
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function formatPointer(steps: Steps): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
