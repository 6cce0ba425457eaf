import { shortBytes, shortDuration, shortNumber } from '../format.js';
import type { Member } from '../member.js';
import { statusOf } from '../status.js';
import { type LimitChange, type LimitLevel, limitFor } from './limits.js';
import { hasFigure, type MeasureContext, measure } from './measure.js';
import type { Problem } from './result.js';
import type { Threshold } from './threshold.js';
import { THRESHOLDS } from './thresholds.js';

/** The limits that serving members exceed, in the order of the table; of two limits the worse. */
export function findAlarms(context: MeasureContext, changes: readonly LimitChange[]): Problem[] {
  return context.members.flatMap((member) =>
    THRESHOLDS.flatMap((threshold) => alarmOf(threshold, member, context, changes)),
  );
}

function alarmOf(
  threshold: Threshold,
  member: Member,
  context: MeasureContext,
  changes: readonly LimitChange[],
): Problem[] {
  const { role } = statusOf(member);
  const { roles, name, label, advice, source, bound } = threshold;
  if (roles !== undefined && !roles.some((one) => one === role)) return [];
  const value = measure(threshold.reading, member, context);
  if (value === undefined) return withoutFigure(threshold, member, changes);
  for (const level of ['critical', 'warning'] as const) {
    const limit = limitFor(threshold, level, role, changes);
    const isBeyond = limit !== undefined && (bound === 'above' ? value > limit : value < limit);
    if (!isBeyond) continue;
    const isChanged = changes.some((change) => change.name === name && change.level === level);
    const found = `${label}: ${inUnit(value, threshold)}`;
    const expected = `${bound} the limit of ${inUnit(limit, threshold)} (${name})`;
    return [
      {
        level,
        code: `limit:${name}`,
        server: member.server,
        text: `${found}, ${expected}; ${advice}`,
        ...(threshold.reading.kind === 'increase' ? { isEvent: true } : {}),
        limit: { name, value, threshold: limit, source: isChanged ? 'given for this run' : source },
      },
    ];
  }
  return [];
}

/** A limit that the user gave, or a certificate that did not arrive: silence would look healthy. */
function withoutFigure(
  threshold: Threshold,
  member: Member,
  changes: readonly LimitChange[],
): Problem[] {
  const { name, label, reading } = threshold;
  const { role } = statusOf(member);
  const isAsked = changes.some(
    (change) =>
      change.name === name &&
      (change.role === undefined || change.role === role) &&
      limitFor(threshold, change.level, role, changes) !== undefined,
  );
  const isLost = reading.kind === 'certificate-days' && member.isCertificateUnknown === true;
  if (!(isAsked || isLost) || hasFigure(reading, member)) return [];
  const text = `${label}: not reported, so ${name} was not judged; ${isLost ? 'check its TLS port' : `remove the limit, or use --crit ${name}=off`}`;
  return [{ level: 'unknown', code: `limit:${name}`, server: member.server, text }];
}

export function inUnit(value: number, { unit }: Pick<Threshold, 'unit'>): string {
  if (unit === 'bytes') return shortBytes(value);
  if (unit === 'ms' && Math.abs(value) >= 60_000) return shortDuration(value);
  if (unit === '%') return `${shortNumber(value)}%`;
  return unit === '' ? shortNumber(value) : `${shortNumber(value)} ${unit}`;
}

export function explainLimits(changes: readonly LimitChange[]) {
  const limit = (threshold: Threshold, level: LimitLevel): string | undefined => {
    const value = limitFor(threshold, level, undefined, changes);
    const others = changes.filter(
      (change) =>
        change.name === threshold.name && change.level === level && change.role !== undefined,
    );
    const parts = [
      ...(value === undefined ? [] : [inUnit(value, threshold)]),
      ...others.map((change) => {
        const own = change.limit === undefined ? 'off' : inUnit(change.limit, threshold);
        return `${change.role}: ${own}`;
      }),
    ];
    return parts.length === 0 ? undefined : parts.join(', ');
  };
  return {
    keys: ['limit', 'bad_side', 'warning', 'critical', 'roles', 'what', 'what_to_do', 'source'],
    rows: THRESHOLDS.map((threshold) => [
      threshold.name,
      threshold.bound,
      limit(threshold, 'warning'),
      limit(threshold, 'critical'),
      threshold.roles?.join(' '),
      threshold.label,
      threshold.advice,
      threshold.source,
    ]),
  };
}
