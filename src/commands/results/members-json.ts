import type { Member } from '../ensemble/member.js';
import { lagOf, statusOf } from '../ensemble/status.js';
import type { OpsResult, RunResult } from '../ensemble/verdict/result.js';
import { VERDICT_STATUS } from '../program/exit-status.js';
import { pairsOf, type ShowOptions, wantsPairs } from './pairs.js';
import { toJson } from './rows.js';

/** A removed field or a changed meaning makes it zkops/2. */
const SCHEMA = 'zkops/1';

function memberJson(result: OpsResult, member: Member, show: ShowOptions) {
  const { verb, members } = result;
  const { server, address, state, fault, note, tookMs } = member;
  const data =
    (show.keys !== undefined || show.isDiff === true) && wantsPairs(verb, show)
      ? { values: Object.fromEntries(pairsOf(verb, member, show, members)) }
      : verb.data(member);
  return {
    server,
    host: address.host,
    port: address.port,
    state,
    role: statusOf(member).role ?? null,
    lag: lagOf(member, members)?.toString() ?? null,
    tookMs: Math.round(tookMs),
    ...(member.rates === undefined ? {} : { rates: member.rates }),
    ...(member.certificateEndsMs === undefined
      ? {}
      : { certificateEnds: new Date(member.certificateEndsMs).toISOString() }),
    error: fault ?? null,
    note: note ?? null,
    ...data,
  };
}

export function verdictJson({ verdict }: Pick<RunResult, 'verdict'>) {
  return { ...verdict, exitCode: VERDICT_STATUS[verdict.level] };
}

/** The document of docs/zkops-1.schema.json, before bigints become strings. */
export function membersDocument(result: OpsResult, show: ShowOptions) {
  const { verb, time, members } = result;
  return {
    schema: SCHEMA,
    verb: verb.name,
    time,
    verdict: verdictJson(result),
    ...(result.changes === undefined ? {} : { changes: result.changes }),
    members: members.map((member) => memberJson(result, member, show)),
  };
}

export function membersToJson(result: OpsResult, show: ShowOptions): string {
  return `${toJson(membersDocument(result, show), 2)}\n`;
}

/** One line for each member, then one with the verdict. */
export function membersToJsonLines(result: OpsResult, show: ShowOptions): string {
  const { verb, time, members } = result;
  const start = { schema: SCHEMA, verb: verb.name, time };
  const lines = [
    ...members.map((member) => ({ ...start, ...memberJson(result, member, show) })),
    ...(result.changes ?? []).map((change) => ({ ...start, change })),
    { ...start, verdict: verdictJson(result) },
  ];
  return lines.map((line) => `${toJson(line)}\n`).join('');
}
