/** The lines of an answer without their ends (LF or CRLF) and without blank ones. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** `name=value` at the first `=`; undefined where there is none or the name is empty. */
export function pairOf(line: string): [name: string, value: string] | undefined {
  const at = line.indexOf('=');
  return at < 1 ? undefined : [line.slice(0, at), line.slice(at + 1)];
}
