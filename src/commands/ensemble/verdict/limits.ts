import type { Threshold, ThresholdRole } from './threshold.js';
import { THRESHOLDS } from './thresholds.js';

export type LimitLevel = 'warning' | 'critical';

/** Such as `--warn outstanding_requests=20` or `--crit leader:open_files=90`. */
export interface LimitChange {
  readonly level: LimitLevel;
  readonly name: string;
  /** A change for a role overrides a change for all. */
  readonly role?: ThresholdRole;
  /** Undefined turns the limit off. */
  readonly limit: number | undefined;
}

const ROLES: readonly string[] = ['leader', 'follower', 'observer', 'standalone'];

/** Reads `[role:]name=number`, or `=off`. @throws RangeError with the expected form */
export function parseLimit(level: LimitLevel, text: string): LimitChange {
  const match = /^(?:([a-z]+):)?([a-z0-9_]+)=(off|-?\d+(?:\.\d+)?)$/.exec(text.trim());
  const [, role, name, value] = match ?? [];
  if (name === undefined || value === undefined) {
    throw new RangeError(`invalid limit: "${text}" (expected [role:]name=number or name=off)`);
  }
  if (role !== undefined && !isRole(role)) {
    throw new RangeError(
      `invalid role: "${role}" in "${text}" (expected one of ${ROLES.join(', ')})`,
    );
  }
  if (!THRESHOLDS.some((threshold) => threshold.name === name)) {
    throw new RangeError(`unknown limit: "${name}": zkops check --explain lists them`);
  }
  const limit = value === 'off' ? undefined : Number(value);
  return { level, name, limit, ...(role === undefined ? {} : { role }) };
}

function isRole(text: string): text is ThresholdRole {
  return ROLES.includes(text);
}

export interface LimitsFile {
  readonly changes: readonly LimitChange[];
  readonly faults: readonly { readonly line: number; readonly message: string }[];
}

/** Reads `[warn]` and `[crit]` with `name = 10` or `"leader:name" = "off"`, a part of TOML. */
export function parseLimitsFile(text: string): LimitsFile {
  const changes: LimitChange[] = [];
  const faults: { line: number; message: string }[] = [];
  let level: LimitLevel | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const entry = raw.replace(/#.*/s, '').trim();
    if (entry === '') continue;
    try {
      if (entry.startsWith('[')) {
        level = undefined;
        level = tableLevel(entry);
      } else changes.push(parseEntry(level, entry));
    } catch (error) {
      faults.push({ line: index + 1, message: (error as RangeError).message });
    }
  }
  return { changes, faults };
}

function tableLevel(entry: string): LimitLevel {
  const name = /^\[(.*)\]$/.exec(entry)?.[1]?.trim();
  if (name === 'warn') return 'warning';
  if (name === 'crit') return 'critical';
  throw new RangeError(`unknown section: "${entry}" (expected [warn] or [crit])`);
}

function parseEntry(level: LimitLevel | undefined, entry: string): LimitChange {
  if (level === undefined) {
    throw new RangeError(`"${entry}": comes before any section (expected [warn] or [crit] first)`);
  }
  return parseLimit(level, entry.replace(/["']/g, '').replace(/(?<!\s)\s*=\s*/, '='));
}

/** The last change for the role wins, or else the last change for all. */
export function limitFor(
  threshold: Threshold,
  level: LimitLevel,
  role: string | undefined,
  changes: readonly LimitChange[],
): number | undefined {
  const own = changes.filter((change) => change.name === threshold.name && change.level === level);
  const forRole = own.findLast((change) => change.role !== undefined && change.role === role);
  const chosen = forRole ?? own.findLast((change) => change.role === undefined);
  return chosen === undefined ? threshold[level] : chosen.limit;
}
