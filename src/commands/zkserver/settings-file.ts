/**
 * The variables of a file that zkServer.sh runs as shell, zookeeper-env.sh or java.env. Nothing is
 * run: only assignments count, with the variables that they name. All else is reported.
 */

export interface SettingsFile {
  readonly variables: Readonly<Record<string, string>>;
  /** Lines that are not assignments, from 1. */
  readonly unread: readonly number[];
}

const ASSIGNMENT = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/s;
/** Found in values that a shell would compute. */
const COMPUTED = /`|\$\(/;

/** @param env the variables before the file */
export function readSettings(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): SettingsFile {
  const variables: Record<string, string> = {};
  const unread: number[] = [];
  const lookUp = (name: string) => variables[name] ?? env[name] ?? '';
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    let joined = lines[at] ?? '';
    while (joined.endsWith('\\') && at + 1 < lines.length) {
      at++;
      joined = `${joined.slice(0, -1)}${lines[at] ?? ''}`;
    }
    const command = joined.trim();
    if (command === '' || command.startsWith('#') || /^export(\s+\w+)*$/.test(command)) continue;
    const [, name, word = ''] = ASSIGNMENT.exec(command) ?? [];
    const value = name === undefined ? undefined : unquoted(word, lookUp);
    if (name === undefined || value === undefined) unread.push(line);
    else variables[name] = value;
  }
  return { variables, unread };
}

/** One word of a shell without quotes; undefined if it is more than one word, or computed. */
function unquoted(word: string, lookUp: (name: string) => string): string | undefined {
  if (COMPUTED.test(word)) return undefined;
  let value = '';
  let rest = word;
  for (;;) {
    const [whole = '', double, single, escaped, plain] =
      /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\;&|<>()#]+))/s.exec(rest) ?? [];
    if (whole === '') break;
    if (single !== undefined || escaped !== undefined) value += single ?? escaped ?? '';
    else value += expanded(double ?? plain ?? '', lookUp);
    rest = rest.slice(whole.length);
  }
  return /^\s*(?:#.*)?$/.test(rest) ? value : undefined;
}

function expanded(text: string, lookUp: (name: string) => string): string {
  return text.replace(
    /\\(["\\$])|\$(?:\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|([A-Za-z_]\w*))/g,
    (_, escaped?: string, braced?: string, instead?: string, bare?: string) =>
      escaped ?? (lookUp(braced ?? bare ?? '') || (instead ?? '')),
  );
}
