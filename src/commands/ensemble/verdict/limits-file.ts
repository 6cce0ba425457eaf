import { readFileSync } from 'node:fs';
import { badFile } from '../../program/command-error.js';
import { type LimitChange, parseLimitsFile } from './limits.js';

/** The last change wins. @throws CommandError 65 that names every bad line of the file */
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
    throw badFile([`--limits ${file}: cannot read: ${why}`], cause);
  }
  const { changes, faults } = parseLimitsFile(text);
  if (faults.length === 0) return changes;
  const lines = faults.map(({ line, message }) => `${file}:${line}: ${message}`);
  throw badFile(lines);
}
