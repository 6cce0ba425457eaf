import { readFileSync } from 'node:fs';
import { EXIT_BAD_HOSTS_FILE } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';
import { type LimitChange, parseLimitsFile } from './limits.js';

/** The last change wins. @throws UsageError 65 that names every bad line of the file */
export function readLimits(options: {
  readonly limits?: string;
  readonly warn?: readonly LimitChange[];
  readonly crit?: readonly LimitChange[];
}): readonly LimitChange[] {
  const { limits, warn = [], crit = [] } = options;
  return [...(limits === undefined ? [] : fromFile(limits)), ...warn, ...crit];
}

function fromFile(file: string): readonly LimitChange[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`--limits ${file}: cannot read: ${why}`, EXIT_BAD_HOSTS_FILE, { cause });
  }
  const { changes, faults } = parseLimitsFile(text);
  if (faults.length === 0) return changes;
  const lines = faults.map(({ line, message }) => `${file}:${line}: ${message}`);
  throw new UsageError(lines.join('\n'), EXIT_BAD_HOSTS_FILE);
}
