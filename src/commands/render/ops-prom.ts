import { parseJavaNumber } from '../../fourlw/java-number.js';
import { zxidCounter, zxidEpoch } from '../../protocol/zxid.js';
import { isDown, type Member, metricsOf } from '../ops/member.js';
import { EXIT_CODES, type OpsResult } from '../ops/result.js';
import { statusOf } from '../ops/status.js';

const ROLES = ['leader', 'follower', 'observer', 'standalone', 'read-only'] as const;

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

function family(name: string, help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const lines = samples.map(([labels, value]) => {
    const list = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
    return `${name}${list.length === 0 ? '' : `{${list.join(',')}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/**
 * Prometheus text for node_exporter's textfile collector. Reachable and serving are two things: a
 * member that lost its quorum is up and serves nobody.
 */
export function opsToProm({ members, verdict }: OpsResult): string {
  const each = (measure: (member: Member) => number | undefined): Sample[] =>
    members.flatMap((member) => {
      const value = measure(member);
      return value === undefined ? [] : [[{ server: member.server }, value] as const];
    });
  const isUp = ({ state }: Member) => !isDown(state) || state === 'not-serving';
  return [
    family('zkops_verdict', '0 healthy, 1 warning, 2 critical, 3 cannot judge.', [
      [{}, EXIT_CODES[verdict.level]],
    ]),
    family(
      'zk_up',
      'The member answered.',
      each((member) => (isUp(member) ? 1 : 0)),
    ),
    family(
      'zk_serving',
      'The member takes reads and writes.',
      each((member) => (statusOf(member).isServing ? 1 : 0)),
    ),
    family(
      'zk_role',
      'The role of the member, 1 for the one it has.',
      members.flatMap(roleSamples),
    ),
    family(
      'zk_zxid_epoch',
      'The epoch of the last zxid.',
      each((member) => zxid(member, 'epoch')),
    ),
    family(
      'zk_zxid_counter',
      'The counter of the last zxid.',
      each((member) => zxid(member, 'counter')),
    ),
    family('zkops_error', 'Why the member gave no good answer.', members.flatMap(errorSamples)),
    ...metricFamilies(members),
  ].join('');
}

function roleSamples(member: Member): Sample[] {
  const { role } = statusOf(member);
  if (role === undefined) return [];
  return ROLES.map((name) => [{ server: member.server, role: name }, name === role ? 1 : 0]);
}

function errorSamples({ server, fault }: Member): Sample[] {
  return fault === undefined ? [] : [[{ server, reason: fault.reason }, 1]];
}

function zxid(member: Member, part: 'epoch' | 'counter'): number | undefined {
  const value = statusOf(member).zxid;
  if (value === undefined) return undefined;
  return part === 'epoch' ? zxidEpoch(value) : zxidCounter(value);
}

/** Every number of mntr, but for the keys that hold names of users' znodes or labels. */
function metricFamilies(members: readonly Member[]): string[] {
  const families = new Map<string, Sample[]>();
  for (const member of members) {
    for (const [key, text] of metricsOf(member)?.values ?? []) {
      const value = parseJavaNumber(text);
      const isPlain = /^[a-z][a-z0-9_]*$/.test(key) && !/_per_namespace$/.test(key);
      if (value === undefined || !isPlain) continue;
      const samples = families.get(key) ?? [];
      samples.push([{ server: member.server }, value]);
      families.set(key, samples);
    }
  }
  return [...families].map(([key, samples]) =>
    family(`zk_${key}`, `What mntr says of ${key}.`, samples),
  );
}
