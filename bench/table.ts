import { spawnSync } from 'node:child_process';

/** Prints rows as a Markdown table; the first one is the head. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const [head = [], ...body] = rows;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(`${line(head)}${line(head.map(() => '---'))}${body.map(line).join('')}\n`);
}

/** What was measured: the commit, and whether the tree differs from it. */
export function commit(): string {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' });
  return stdout.trim() || 'unknown';
}
