import type { ZooKeeperClient } from '../../client/base/client.js';
import { ZooKeeperError } from '../../client/base/errors.js';
import { mapBounded } from '../../client/znodes/pace.js';
import { walkTree } from '../../client/znodes/walk.js';
import { childPath } from '../../protocol/path.js';
import type { NamePattern, NameTest, PathPattern } from './path-glob.js';

export interface Expanded {
  /** Without duplicates, in the order of a walk. */
  readonly paths: readonly string[];
  readonly unmatched: readonly PathPattern[];
  readonly unread: readonly { readonly path: string; readonly error: unknown }[];
}

export interface ExpandOptions {
  readonly signal: AbortSignal;
  /** Patterns do not match /zookeeper of the server's root. */
  readonly isWholeTree: boolean;
}

const IN_FLIGHT = 64;
const SYSTEM = '/zookeeper';

export async function expandPaths(
  client: ZooKeeperClient,
  patterns: readonly PathPattern[],
  options: ExpandOptions,
): Promise<Expanded> {
  const expansion = new Expansion(client, options);
  const paths = new Set<string>();
  const unmatched: PathPattern[] = [];
  for (const pattern of patterns) {
    const found = await expansion.expand(pattern.names);
    if (found.length === 0) unmatched.push(pattern);
    for (const path of found) paths.add(path);
  }
  return { paths: inWalkOrder(paths), unmatched, unread: expansion.unread };
}

/** Sorts by path so that parents come before their children. */
function inWalkOrder(paths: ReadonlySet<string>): readonly string[] {
  const keys = Array.from(paths, (path) => path.replaceAll('/', '\0')).sort();
  return keys.map((key) => key.replaceAll('\0', '/'));
}

/** A znode that matches the first names of a pattern; the root is "". */
interface PartialMatch {
  readonly paths: readonly string[];
  readonly isSeen: boolean;
}

class Expansion {
  private readonly client: ZooKeeperClient;
  private readonly options: ExpandOptions;
  readonly unread: { path: string; error: unknown }[] = [];

  constructor(client: ZooKeeperClient, options: ExpandOptions) {
    this.client = client;
    this.options = options;
  }

  async expand(names: readonly NamePattern[]): Promise<readonly string[]> {
    let partial: PartialMatch = { paths: [''], isSeen: true };
    for (const [at, name] of names.entries()) {
      partial = await this.step(partial, name, at === names.length - 1);
    }
    const { paths, isSeen } = partial;
    return (isSeen ? paths : await this.present(paths)).map((path) => path || '/');
  }

  private async step(
    { paths }: PartialMatch,
    pattern: NamePattern,
    isLast: boolean,
  ): Promise<PartialMatch> {
    switch (pattern.kind) {
      case 'name':
        return { paths: paths.map((path) => `${path}/${pattern.name}`), isSeen: false };
      case 'match':
        return { paths: await this.children(paths, pattern.fits), isSeen: true };
      case 'any-depth':
        return { paths: await this.below(paths, isLast), isSeen: true };
    }
  }

  private async children(parents: readonly string[], fits: NameTest): Promise<readonly string[]> {
    const found: string[] = [];
    const listed = mapBounded(parents, IN_FLIGHT, (path) => this.list(path || '/'));
    for await (const { item, value } of listed) {
      if (this.options.signal.aborted) return [];
      for (const name of value) {
        if (!fits.test(name)) continue;
        const path = childPath(item, name);
        if (!this.isHidden(path)) found.push(path);
      }
    }
    return found;
  }

  private async list(path: string): Promise<readonly string[]> {
    try {
      return (await this.client.getChildren(path)).children;
    } catch (error) {
      this.note(path, error);
      return [];
    }
  }

  /** Reads the znodes of the last level only if the pattern has more names. */
  private async below(roots: readonly string[], isLast: boolean): Promise<readonly string[]> {
    const found = new Set<string>();
    const { signal } = this.options;
    for (const root of roots) {
      if (found.has(root)) continue;
      try {
        const isSkipped = (path: string) => this.isHidden(path);
        for await (const visit of walkTree(this.client, root || '/', { signal, isSkipped })) {
          if (visit.error !== undefined) this.note(visit.path, visit.error);
          const path = visit.path === '/' ? '' : visit.path;
          if (visit.depth > 0 || !isLast) found.add(path);
        }
      } catch (error) {
        this.note(root || '/', error);
      }
    }
    return [...found];
  }

  private async present(paths: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    const looked = mapBounded(paths, IN_FLIGHT, (path) => this.client.exists(path || '/'));
    for await (const { item, value } of looked) if (value !== null) found.push(item);
    return found;
  }

  private isHidden(path: string): boolean {
    return path === SYSTEM && this.options.isWholeTree;
  }

  /** @throws the error unless it is about this znode only */
  private note(path: string, error: unknown): void {
    if (!(error instanceof ZooKeeperError)) throw error;
    if (error.code === 'NONODE') return;
    if (error.code !== 'NOAUTH') throw error;
    if (!this.unread.some((other) => other.path === path)) this.unread.push({ path, error });
  }
}
