// Differences in the configuration of members: necessary ones (port, folders, id), errors
// (membership, timing), and others, which users should check.

import { isOfGroups } from '../../ensemble/grouped.js';
import { type Member, parsedOf } from '../../ensemble/member.js';
import { statusOf } from '../../ensemble/status.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Level, Problem } from '../../ensemble/verdict/result.js';
import { finishedReport, type Report, type Row } from '../../results/result.js';
import { TIME_OPTIONS } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { askMembers, downProblems, refusals } from './ask-members.js';

/** These settings of conf and envi differ between members. */
const OWN: readonly string[] = [
  'conf.clientPort',
  'conf.secureClientPort',
  'conf.dataDir',
  'conf.dataDirSize',
  'conf.dataLogDir',
  'conf.dataLogSize',
  'conf.serverId',
  'conf.electionPort',
  'conf.quorumPort',
  'conf.peerType',
  'envi.host.name',
  'envi.user.dir',
  'envi.user.home',
  'envi.java.class.path',
  'envi.java.library.path',
  'envi.java.io.tmpdir',
  // The free heap of the JVM; 3.8 has it under this name.
  'envi.jvm.memory.free',
  'envi.jvm.memory.total',
  'envi.os.memory.free',
  'envi.os.memory.total',
];

const UNSET = '-';

const FOREIGN_CODES: readonly string[] = [
  'standalone-beside-ensemble',
  'several-standalone',
  'two-ensembles',
];

/** By name, such as `conf.tickTime`. */
function settingsOf(member: Member): Map<string, string> {
  const settings = new Map<string, string>();
  const conf = parsedOf(member, 'conf');
  for (const [key, value] of Object.entries(conf?.values ?? {})) settings.set(`conf.${key}`, value);
  for (const [sid, text] of Object.entries(conf?.servers ?? {})) {
    settings.set(`conf.server.${sid}`, text);
  }
  if (conf?.configVersion !== undefined) settings.set('conf.version', conf.configVersion);
  for (const [key, value] of Object.entries(parsedOf(member, 'envi')?.values ?? {})) {
    settings.set(`envi.${key}`, value);
  }
  return settings;
}

function isOfMembership(key: string): boolean {
  const name = key.replace(/^conf\./, '');
  return name !== key && (name.startsWith('server.') || name === 'version' || isOfGroups(name));
}

/** Undefined for values that must differ. */
function meaningOf(key: string): Pick<Problem, 'level' | 'code' | 'text'> | undefined {
  if (OWN.includes(key)) return undefined;
  if (isOfMembership(key)) {
    const text =
      'the members disagree about the membership: wait for the end of a reconfiguration, or correct their server lines';
    return { level: 'critical', code: 'membership', text };
  }
  if (key === 'envi.zookeeper.version') {
    const text = 'the members run different releases: finish the upgrade';
    return { level: 'warning', code: 'version', text };
  }
  if (key.startsWith('conf.')) {
    const text = `${key.slice(5)} differs: correct the zoo.cfg of the members and restart them one by one`;
    return { level: 'warning', code: 'setting', text };
  }
  const text = `${key.slice(5)} differs`;
  return { level: 'warning', code: 'environment', text };
}

/** Does not count a key that only some members report, because their releases differ. */
function differs(key: string, settings: readonly Map<string, string>[]): boolean {
  const reporting = settings.filter((one) =>
    key.startsWith('conf.') ? one.has('conf.clientPort') : one.has('envi.zookeeper.version'),
  );
  const values = reporting.map((one) => one.get(key));
  const compared = isOfMembership(key) ? values : values.filter((value) => value !== undefined);
  return new Set(compared).size > 1;
}

function findingsOf(keys: readonly string[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const key of keys) {
    const meaning = meaningOf(key);
    if (meaning === undefined) continue;
    problems.set(meaning.text, meaning);
  }
  return [...problems.values()];
}

/** Duplicate ids, members of no ensemble, and too many voters. */
function ensembleProblems(members: readonly Member[]): Problem[] {
  const problems: Problem[] = [];
  const bySid = new Map<string, string[]>();
  for (const member of members) {
    const sid = parsedOf(member, 'conf')?.values['serverId'];
    const isMember = statusOf(member).role !== 'standalone';
    if (sid !== undefined && isMember) {
      bySid.set(sid, [...(bySid.get(sid) ?? []), member.server]);
    }
  }
  for (const [sid, servers] of bySid) {
    if (servers.length < 2) continue;
    const text = `${servers.join(' and ')} have the same id ${sid}: give each its own myid`;
    problems.push({ level: 'critical', code: 'same-id', text });
  }
  const lists = members.flatMap((member) => {
    const servers = Object.values(parsedOf(member, 'conf')?.servers ?? {});
    return servers.length === 0 ? [] : [servers];
  });
  const [first] = lists;
  if (first === undefined) return problems;
  const voters = first.filter((line) => !/:observer(;|$)/.test(line)).length;
  const hasGroups = members.some((member) => statusOf(member).grouped !== undefined);
  if (voters % 2 === 0 && !hasGroups) {
    const text = `${voters} voters tolerate no more failures than ${voters - 1}: an odd number is as safe, and faster`;
    problems.push({ level: 'warning', code: 'even-voters', text });
  }
  if (first.length !== members.length) {
    const text = `${members.length} ${members.length === 1 ? 'member is' : 'members are'} listed, but the membership has ${first.length}: list all of them`;
    problems.push({ level: 'warning', code: 'listed', text });
  }
  return problems;
}

async function drift(call: TaskCall): Promise<Report> {
  const result = await askMembers(call, ['srvr', 'conf', 'envi'], { judge: 'ensemble' });
  const { members } = result;
  const settings = members.map(settingsOf);
  const keys = [...new Set(settings.flatMap((one) => [...one.keys()]))].sort();
  const different = keys.filter((key) => differs(key, settings));
  const relevant = different.filter((key) => meaningOf(key) !== undefined);
  const shown = call.has('all') ? keys : relevant;
  const rows = shown.map(
    (key): Row => [
      key,
      ...settings.map((one) => one.get(key) ?? (one.size === 0 ? undefined : UNSET)),
    ],
  );
  const problems = [
    ...findingsOf(different),
    ...ensembleProblems(members),
    ...result.verdict.problems.filter(({ code }) => FOREIGN_CODES.includes(code)),
    ...refusals(members, ['conf', 'envi']),
    ...downProblems(result),
  ];
  const compared = settings.filter((one) => one.size > 0).length;
  const summary =
    compared === 0
      ? 'no member reported its configuration'
      : `${compared} of ${members.length} members compared, ${relevant.length} settings differ`;
  if (compared === 0) problems.push({ level: 'unknown', code: 'no-answer', text: summary });
  const columns = [
    { key: 'setting' },
    ...members.map(({ server }) => ({ title: server, key: server })),
  ];
  const conclusion = {
    verdict: concludeFrom(problems, summary),
    totals: { compared, different: relevant.length },
  };
  const levelOf = ([key]: Row): Level | undefined =>
    relevant.includes(String(key)) ? meaningOf(String(key))?.level : undefined;
  return finishedReport(columns, rows, conclusion, levelOf);
}

export const driftTask: Task = {
  name: 'drift',
  options: { all: { summary: 'show every setting, not only differences' }, ...TIME_OPTIONS },
  hasMembers: true,
  changesEnsemble: false,
  run: drift,
};
