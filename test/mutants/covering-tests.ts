/**
 * Which tests run a place of the code. A test that never runs the place of a mutation cannot notice
 * it. V8 counts the blocks that a test file runs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Report {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

export interface MeasuredTest {
  /** Below the root, such as dist/test/server/server.test.js. */
  readonly path: string;
  readonly seconds: number;
  /** The blocks of each file that it loads and that may be mutated, by path below the root. */
  readonly blocks: Readonly<Record<string, readonly Range[]>>;
}

/** Where mutations are made: what decides, and what stores. */
const FOLDERS = ['quorum', 'prep', 'pipeline', 'session', 'state', 'tree', 'persistence'];
const MUTABLE = new RegExp(
  `^dist/src/(files/|server/((${FOLDERS.join('|')})/|node/storage/)).*\\.js$`,
);

/** @param path below the root */
export function isMutable(path: string): boolean {
  return MUTABLE.test(path);
}

const LONGEST_MS = 120_000;

function blocksIn(folder: string, root: string): Record<string, Range[]> {
  const blocks: Record<string, Range[]> = {};
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const report: Report = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    for (const { url, functions } of report.result) {
      if (!url.startsWith('file:')) continue;
      const path = relative(root, fileURLToPath(url));
      if (!isMutable(path)) continue;
      const ranges = functions.flatMap((each) => each.ranges);
      blocks[path] = [...(blocks[path] ?? []), ...ranges];
    }
  }
  return blocks;
}

/** Runs a test file. Undefined if it fails without a mutation, or takes too long. */
export function measure(path: string, root: string): MeasuredTest | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'zksh-mutants-'));
  try {
    const startedMs = performance.now();
    const { status } = spawnSync(process.execPath, [join(root, path)], {
      cwd: root,
      env: { ...process.env, NODE_V8_COVERAGE: folder },
      stdio: 'ignore',
      timeout: LONGEST_MS,
      killSignal: 'SIGKILL',
    });
    if (status !== 0) return undefined;
    const seconds = (performance.now() - startedMs) / 1000;
    return { path, seconds, blocks: blocksIn(folder, root) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The count of the smallest block around the offset decides. */
function isRun(blocks: readonly Range[], offset: number): boolean {
  let smallest: Range | undefined;
  for (const block of blocks) {
    if (offset < block.startOffset || offset >= block.endOffset) continue;
    const length = block.endOffset - block.startOffset;
    // Two processes of one test report a block of the same size: either may have run it.
    if (smallest !== undefined) {
      const least = smallest.endOffset - smallest.startOffset;
      if (length > least || (length === least && block.count <= smallest.count)) continue;
    }
    smallest = block;
  }
  return smallest !== undefined && smallest.count > 0;
}

/** The tests that run the place, those of the same folder first, then the fastest. */
export function coveringTests(
  tests: readonly MeasuredTest[],
  path: string,
  offset: number,
): MeasuredTest[] {
  const beside = path.replace('dist/src/', 'dist/test/').replace(/\.js$/, '');
  const folder = beside.slice(0, beside.lastIndexOf('/') + 1);
  const rank = (test: MeasuredTest): number =>
    test.path.startsWith(`${beside}.`) ? 0 : test.path.startsWith(folder) ? 1 : 2;
  return tests
    .filter(({ blocks }) => isRun(blocks[path] ?? [], offset))
    .sort((a, b) => rank(a) - rank(b) || a.seconds - b.seconds);
}
