import { spawn } from 'node:child_process';
import { safeLine } from '../../../protocol/sanitize.js';
import { type MemberAddress, nameOf } from '../../ensemble/member-address.js';
import { usageError } from '../../program/command-error.js';
import { shellWord } from '../../program/shell-word.js';

const PLACEHOLDERS = ['host', 'port', 'id', 'name'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** `${host}` is a variable of the shell. */
const PLACEHOLDER = /(?<!\$)\{([a-z]+)\}/g;
/** The end of the output is for an error message. */
const KEPT_OUTPUT = 2000;
/** systemctl ends with a hint, and has the reason before it. */
const KEPT_LINES = 3;
/** Nothing closes the pipes if the command started a server in the background. */
const LAST_WORDS_MS = 500;

/** A command for each member, from a template such as `ssh {host} systemctl restart zkserver`. */
export class RollCommand {
  readonly template: string;
  readonly needsId: boolean;

  /** @throws CommandError for a template that names no member */
  constructor(template: string) {
    const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
    const wrong = names.find((name) => !isPlaceholder(name));
    const known = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
    if (wrong !== undefined) {
      throw usageError(`--command: unknown placeholder: {${wrong}} (expected ${known})`);
    }
    if (names.length === 0) {
      throw usageError(
        `--command: has no placeholder for a member: ${template} (expected at least one of ${known})\nExample: --command 'ssh {host} systemctl restart zkserver'`,
      );
    }
    this.template = template;
    this.needsId = names.includes('id');
  }

  /**
   * Quotes each value for the shell.
   * @throws CommandError for a host or id that a program would take as an option
   */
  textFor(address: MemberAddress, id: string | undefined): string {
    const values: Record<Placeholder, string> = {
      host: address.host,
      port: String(address.port),
      id: id ?? '',
      name: nameOf(address),
    };
    const option = Object.values(values).find((value) => value.startsWith('-'));
    if (option !== undefined) {
      throw usageError(`--command: a member begins with a dash: ${safeLine(option)}`);
    }
    return this.template.replace(PLACEHOLDER, (whole, name: string) =>
      isPlaceholder(name) ? shellWord(values[name]) : whole,
    );
  }
}

function isPlaceholder(name: string): name is Placeholder {
  return PLACEHOLDERS.some((known) => known === name);
}

/** Returns why it failed. A timeout or abort kills the shell, but nothing on other machines. */
export function runCommand(
  command: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: AbortSignal.any([signal, timeout]),
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = `${output}${chunk.toString('utf8')}`.slice(-KEPT_OUTPUT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = (why: string | undefined): void => {
      // A server that the command started in the background may keep the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
      const last = output
        .trimEnd()
        .split(/(?<!\s)\s*\n\s*/)
        .slice(-KEPT_LINES)
        .join(' / ');
      resolve(why === undefined ? undefined : `${why}${last === '' ? '' : `: ${last}`}`);
    };
    child.once('error', (error) =>
      end(timeout.aborted ? `did not end in ${timeoutMs} ms` : error.message),
    );
    child.once('exit', (code, by) => {
      if (code === 0) return end(undefined);
      const why = by === null ? `exit status ${code}` : `ended by ${by}`;
      // Its last words may still be in the pipes.
      const timer = setTimeout(() => end(why), LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(timer);
        end(why);
      });
    });
  });
}
