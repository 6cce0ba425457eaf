import type { ZooKeeperClient } from '../client/client.js';
import { ZooKeeperError } from '../client/errors.js';
import type { Stat } from '../protocol/data.js';
import { childPath } from '../protocol/path.js';
import { CommandError, ExitCode } from './command-error.js';

/** One znode of a walk; `error` when its children could not be read. */
export interface Visit {
  readonly path: string;
  readonly stat?: Stat;
  readonly error?: ZooKeeperError;
}

/** Requests in flight; enough to hide the way to the server, too few to make it wait. */
const READ_AHEAD = 64;

interface Pending {
  readonly path: string;
  answer: Promise<Answer> | undefined;
}

type Answer =
  | { readonly children: readonly string[]; readonly stat: Stat }
  | { readonly error: unknown };

/**
 * Every znode from `root` down, a parent before its children, children in the order of their names.
 * What disappears meanwhile is left out; what may not be read is visited with its error.
 * @throws what reading the root itself threw, and any error that is not about one znode
 */
export async function* walk(
  client: ZooKeeperClient,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<Visit> {
  const ask = async (path: string): Promise<Answer> => {
    try {
      return await client.getChildren(path);
    } catch (error) {
      return { error };
    }
  };
  // The next znode is at the end.
  const pending: Pending[] = [{ path: root, answer: undefined }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (signal.aborted) return;
    const answer = await (next.answer ?? ask(next.path));
    const { path } = next;
    if ('error' in answer) {
      const { error } = answer;
      if (!isAboutNode(error) || (path === root && error.code === 'NONODE')) throw error;
      if (error.code !== 'NONODE') yield { path, error };
      continue;
    }
    for (const name of [...answer.children].sort(compareNames).reverse()) {
      pending.push({ path: childPath(path, name), answer: undefined });
    }
    readAhead(pending, ask);
    yield { path, stat: answer.stat };
  }
}

function readAhead(pending: readonly Pending[], ask: (path: string) => Promise<Answer>): void {
  for (let at = pending.length - 1; at >= 0 && at >= pending.length - READ_AHEAD; at--) {
    const entry = pending[at];
    if (entry !== undefined) entry.answer ??= ask(entry.path);
  }
}

function isAboutNode(error: unknown): error is ZooKeeperError {
  return error instanceof ZooKeeperError && (error.code === 'NONODE' || error.code === 'NOAUTH');
}

/** By UTF-16 units, as Java sorts strings. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The error of a command that did what it could and not all of it; exit code 9. */
export function partialError(
  what: string,
  failures: readonly { readonly path: string; readonly error: unknown }[],
): CommandError {
  const shown = failures.slice(0, 3).map(({ path, error }) => `${path} (${reasonOf(error)})`);
  const more = failures.length > shown.length ? `, and ${failures.length - shown.length} more` : '';
  return new CommandError(`${what}: ${shown.join(', ')}${more}`, {
    code: 'PARTIAL',
    exitCode: ExitCode.partial,
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof ZooKeeperError) return error.code;
  return error instanceof Error ? error.message : String(error);
}
