import {
  DEFAULT_CLIENT_PORT,
  formatServerAddress,
  parseServerAddress,
  type ServerAddress,
} from '../../client/connect-string.js';

/** One line that is no `host[:port]`, and why. */
export interface HostsFileFault {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly message: string;
}

export interface HostsFile {
  /** In the order of the file, each once. */
  readonly servers: readonly ServerAddress[];
  /** Every bad line and every server listed twice; the file is good when this is empty. */
  readonly faults: readonly HostsFileFault[];
}

/**
 * Reads a hosts file: one `host[:port]` a line, IPv6 in brackets, `#` starts a comment, blank lines
 * and CRLF are fine, the port is 2181 where none is given. A line `zks://host[:port]` is reached over
 * TLS, where the port is 2281.
 */
export function parseHostsFile(text: string): HostsFile {
  const servers: ServerAddress[] = [];
  const faults: HostsFileFault[] = [];
  const lineOf = new Map<string, number>();
  const withoutMark = text.startsWith('\ufeff') ? text.slice(1) : text;
  for (const [index, raw] of withoutMark.split(/\r?\n/).entries()) {
    const entry = raw.replace(/#.*$/, '').trim();
    if (entry === '') continue;
    const line = index + 1;
    const fault = (message: string) => faults.push({ line, text: entry, message });
    const server = parseEntry(entry);
    if (typeof server === 'string') {
      fault(server);
      continue;
    }
    const name = formatServerAddress(server).toLowerCase();
    const first = lineOf.get(name);
    if (first !== undefined) fault(`${name} is listed twice, first on line ${first}`);
    else {
      lineOf.set(name, line);
      servers.push(server);
    }
  }
  return { servers, faults };
}

/** The address, or the sentence that says what is wrong. */
function parseEntry(entry: string): ServerAddress | string {
  if (/^[^[\]]*:[^[\]]*:/.test(entry.replace(/^zks:\/\//, ''))) {
    const port = DEFAULT_CLIENT_PORT;
    return `expected host[:port], found "${entry}": an IPv6 address stands in brackets, [::1]:${port}`;
  }
  try {
    return parseServerAddress(entry);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
