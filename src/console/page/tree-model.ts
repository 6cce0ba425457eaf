/**
 * The rows of a tree of any size. Loads a page of children when one of its rows is shown. Computes
 * the index of a row from the counts of open branches, never from a list of all rows.
 */
import { baseName, childPath, isWithin, parentPath } from '../../protocol/path.js';
import type { Children } from '../api/shapes.js';

const PAGE_SIZE = 100;
const RETRY_MS = 3000;

type Child = Children['children'][number];

interface Page {
  readonly children: readonly Child[];
  isStale: boolean;
}

interface OpenChild {
  index: number;
  readonly branch: Branch;
}

interface Branch {
  readonly path: string;
  total: number;
  readonly pages: Map<number, Page>;
  readonly loading: Set<number>;
  open: OpenChild[];
}

export interface Row {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly isOpen: boolean;
  /** Undefined while its page loads. */
  readonly child: Child | undefined;
}

export type LoadChildren = (
  path: string,
  query: { readonly offset?: number; readonly find?: string; readonly limit: number },
) => Promise<Children>;

export class TreeModel {
  private readonly load: LoadChildren;
  private readonly onChange: () => void;
  private readonly onError: (error: unknown) => void;
  private readonly root: Branch = makeBranch('/');
  private readonly stale = new Set<string>();
  /** Changes of branches run one after the other, because each waits for answers. */
  private last: Promise<unknown> = Promise.resolve();
  private isRefreshing = false;

  constructor(load: LoadChildren, onChange: () => void, onError: (error: unknown) => void) {
    this.load = load;
    this.onChange = onChange;
    this.onError = onError;
  }

  get rowCount(): number {
    return 1 + countOf(this.root);
  }

  /** Starts to load the row if needed. */
  rowAt(place: number): Row | undefined {
    if (place === 0) return { path: '/', name: '/', depth: 0, isOpen: true, child: undefined };
    let [branch, rest, depth] = [this.root, place - 1, 1];
    for (;;) {
      const found = stepInto(branch, rest);
      if (found.inside !== undefined) {
        branch = found.inside;
        rest = found.rest;
        depth++;
        continue;
      }
      if (found.rest >= branch.total) return undefined;
      const child = this.childAt(branch, found.rest);
      const name = child?.name ?? '…';
      const path = child === undefined ? '' : childPath(branch.path, name);
      const isOpen = branch.open.some(({ index }) => index === found.rest);
      return { path, name, depth, isOpen, child };
    }
  }

  /** Undefined unless all its parents are open. */
  placeOf(path: string): number | undefined {
    if (path === '/') return 0;
    const parent = this.branchOf(parentPath(path));
    const place = parent === undefined ? undefined : this.placeOf(parent.path);
    if (parent === undefined || place === undefined) return undefined;
    const index = indexIn(parent, baseName(path));
    if (index === undefined) return undefined;
    const above = parent.open.filter((open) => open.index < index);
    return place + 1 + index + above.reduce((sum, { branch }) => sum + countOf(branch), 0);
  }

  async start(): Promise<void> {
    await this.fill(this.root, 0);
  }

  /** Opens all ancestors of a path, unless the user left it meanwhile. */
  reveal(path: string, isWanted = () => true): Promise<void> {
    return this.inOrder(() => this.openAlong(path, false, isWanted));
  }

  open(path: string): Promise<void> {
    return this.inOrder(() => this.openAlong(path, true, () => true));
  }

  private inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async openAlong(path: string, isOpened: boolean, isWanted: () => boolean): Promise<void> {
    const names = path.split('/').filter((name) => name !== '');
    let branch = this.root;
    for (const [at, name] of names.entries()) {
      const answer = await this.load(branch.path, { find: name, limit: PAGE_SIZE });
      keep(branch, answer);
      if (answer.index === null || !isWanted()) break;
      if (at < names.length - 1 || isOpened) branch = await this.openChild(branch, answer.index);
    }
    this.onChange();
  }

  close(path: string): void {
    const parent = this.branchOf(parentPath(path));
    if (parent === undefined) return;
    parent.open = parent.open.filter(({ branch }) => branch.path !== path);
    this.onChange();
  }

  /** Reads the affected parents again. */
  changed(paths: readonly string[]): void {
    for (const path of paths) if (path !== '/') this.stale.add(parentPath(path));
    this.refreshSoon();
  }

  /** Reads everything again, because events may be missing. */
  changedAll(): void {
    const all = (branch: Branch): string[] => [
      branch.path,
      ...branch.open.flatMap((open) => all(open.branch)),
    ];
    for (const path of all(this.root)) this.stale.add(path);
    this.refreshSoon();
  }

  private refreshSoon(): void {
    if (this.isRefreshing || this.stale.size === 0) return;
    this.isRefreshing = true;
    this.inOrder(() => this.refresh()).catch(this.onError);
  }

  private async refresh(): Promise<void> {
    try {
      for (const [path] of this.stale.entries()) {
        this.stale.delete(path);
        const branch = this.branchOf(path);
        // The row of a closed parent shows its number of children.
        const shown = branch ?? this.branchOf(parentPath(path));
        if (shown === undefined) continue;
        for (const page of shown.pages.values()) page.isStale = true;
        if (branch !== undefined) await this.reindex(branch);
      }
    } finally {
      this.isRefreshing = false;
    }
    this.onChange();
  }

  /** Finds the new indexes of open children. */
  private async reindex(branch: Branch): Promise<void> {
    const kept: OpenChild[] = [];
    for (const open of branch.open) {
      const find = baseName(open.branch.path);
      const answer = await this.load(branch.path, { find, limit: PAGE_SIZE });
      keep(branch, answer);
      if (answer.index !== null) kept.push({ ...open, index: answer.index });
    }
    // The user may have closed one meanwhile.
    const isOpen = ({ branch: inside }: OpenChild) =>
      branch.open.some((open) => open.branch === inside);
    branch.open = kept.filter(isOpen).sort((a, b) => a.index - b.index);
    if (branch.open.length === 0) await this.fill(branch, 0);
  }

  private async openChild(parent: Branch, index: number): Promise<Branch> {
    const known = parent.open.find((open) => open.index === index);
    if (known !== undefined) return known.branch;
    const child = this.childAt(parent, index);
    const branch = makeBranch(childPath(parent.path, child?.name ?? ''));
    await this.fill(branch, 0);
    parent.open = [...parent.open, { index, branch }].sort((a, b) => a.index - b.index);
    return branch;
  }

  private childAt(branch: Branch, index: number): Child | undefined {
    const number = Math.floor(index / PAGE_SIZE);
    const page = branch.pages.get(number);
    if ((page === undefined || page.isStale) && !branch.loading.has(number)) {
      this.fill(branch, number).catch(this.onError);
    }
    return page?.children[index % PAGE_SIZE];
  }

  private async fill(branch: Branch, number: number): Promise<void> {
    branch.loading.add(number);
    try {
      const offset = number * PAGE_SIZE;
      keep(branch, await this.load(branch.path, { offset, limit: PAGE_SIZE }));
    } catch (error) {
      // Prevents an immediate retry by the visible rows.
      setTimeout(() => branch.loading.delete(number), RETRY_MS);
      throw error;
    }
    branch.loading.delete(number);
    this.onChange();
  }

  private branchOf(path: string): Branch | undefined {
    let branch: Branch | undefined = this.root;
    while (branch !== undefined && branch.path !== path) {
      branch = branch.open.find((open) => isWithin(path, open.branch.path))?.branch;
    }
    return branch;
  }
}

function makeBranch(path: string): Branch {
  return { path, total: 0, pages: new Map(), loading: new Set(), open: [] };
}

function countOf(branch: Branch): number {
  return branch.open.reduce((sum, open) => sum + countOf(open.branch), branch.total);
}

function keep(branch: Branch, { total, offset, children }: Children): void {
  branch.total = total;
  branch.pages.set(Math.floor(offset / PAGE_SIZE), { children, isStale: false });
}

/** The open child that contains a row, or the index of the child in that row. */
function stepInto(branch: Branch, row: number): { inside?: Branch; rest: number } {
  let rest = row;
  for (const { index, branch: inside } of branch.open) {
    if (rest <= index) return { rest };
    const below = countOf(inside);
    if (rest <= index + below) return { inside, rest: rest - index - 1 };
    rest -= below;
  }
  return { rest };
}

function indexIn(branch: Branch, name: string): number | undefined {
  for (const [number, { children }] of branch.pages) {
    const at = children.findIndex((child) => child.name === name);
    if (at !== -1) return number * PAGE_SIZE + at;
  }
  return undefined;
}
