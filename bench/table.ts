import { spawnSync } from 'node:child_process';

/** Prints rows as a Markdown table; the first row is the header. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const [head = [], ...body] = rows;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(`${line(head)}${line(head.map(() => '---'))}${body.map(line).join('')}\n`);
}

/** The measured commit, and whether the working tree differs from it. */
export function commit(): string {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' });
  return stdout.trim() || 'unknown';
}
