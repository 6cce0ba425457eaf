const CARRIAGE_RETURN = 13;

/** The lines of an answer without line ends (LF or CRLF) and without blank lines. */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  // A loop: a regular expression is too slow for the million characters of 100 members.
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const next = found === -1 ? text.length : found;
    const end = text.charCodeAt(next - 1) === CARRIAGE_RETURN ? next - 1 : next;
    const line = text.slice(start, Math.max(start, end));
    if (line.trim() !== '') lines.push(line);
    start = next + 1;
  }
  return lines;
}

/** `name=value`, split at the first `=`; undefined without one, or if the name is empty. */
export function pairOf(line: string): [name: string, value: string] | undefined {
  const at = line.indexOf('=');
  return at < 1 ? undefined : [line.slice(0, at), line.slice(at + 1)];
}
