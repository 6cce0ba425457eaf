/**
 * `npm run prove -- applications [--only NAME[,NAME]] [--kinds KIND[,KIND]] [--kills N]
 * [--chdb FOLDER]`, also `npm run applications`: applications at work on three members of zkserver,
 * of Apache's server, and of both. Meanwhile the leader is killed 20 times, or N times, and each
 * member restarts once. It prints one row of a table for each application.
 *
 * FOLDER has the npm package chdb, or gets it. APACHE_CLASS_PATH names the release of Apache's
 * server. The exit status is 1 if an application lost something, or waited longer than with
 * Apache's servers. It is 2 if an application is not installed.
 */
import { parseArgs } from 'node:util';
import { hasOracle, ORACLE } from '../support/apache/oracle.js';
import type { Application, Outcome } from './application.js';
import { chdb } from './chdb.js';
import { CLICKHOUSE } from './clickhouse.js';
import { KINDS, type Kind } from './ensemble.js';
import { isWorse } from './judges.js';
import { PATRONI } from './patroni.js';
import { RECIPES } from './recipes.js';
import { runApplication } from './run-application.js';
import { cellOf, rowOf } from './table.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    kinds: { type: 'string', default: KINDS.join() },
    kills: { type: 'string', default: '20' },
    chdb: { type: 'string' },
  },
});

const ALL: readonly Application[] = [...RECIPES, CLICKHOUSE, chdb(values.chdb), PATRONI];
const only = values.only?.toLowerCase().split(',');
const chosen = ALL.filter(({ name }) => only?.includes(name.toLowerCase()) ?? true);
const wanted = KINDS.filter((kind) => values.kinds.split(',').includes(kind));
const kinds = wanted.filter((kind) => kind === 'zkserver' || hasOracle);
const kills = Number(values.kills);
if (chosen.length === 0 || wanted.length === 0 || !(kills >= 0)) {
  console.error(
    `applications: --only ${values.only} --kinds ${values.kinds} --kills ${values.kills}: not valid`,
  );
  console.error(
    `(expected some of ${ALL.map(({ name }) => name).join()}, some of ${KINDS.join()}, a number)`,
  );
  process.exit(64);
}

const problems: string[] = [];
const missing: string[] = wanted
  .filter((kind) => !kinds.includes(kind))
  .map((kind) => `${kind}: not run: Apache's server is not installed`);
const rows: string[] = [
  rowOf(['Application', 'Work', ...kinds.map((kind) => (kind === 'apache' ? ORACLE : kind))]),
  rowOf(['---', '---', ...kinds.map(() => '---')]),
];
for (const application of chosen) {
  const { name, work, source } = application;
  const version = application.version();
  if (version === undefined) {
    missing.push(`${name}: not run: ${source} is not installed`);
    continue;
  }
  const outcomes = new Map<Kind, Outcome>();
  for (const kind of kinds) {
    process.stderr.write(`${name} ${version} on ${kind}\n`);
    const outcome = await runApplication(application, kind, kills);
    outcomes.set(kind, outcome);
    problems.push(...outcome.problems.map((text) => `${name} on ${kind}: ${text}`));
    process.stderr.write(`  ${[cellOf(outcome), ...outcome.problems.slice(0, 10)].join('\n  ')}\n`);
  }
  problems.push(...slower(name, outcomes));
  const cells = kinds.map((kind) => cellOf(outcomes.get(kind)));
  rows.push(rowOf([`${name} ${version}`, work, ...cells]));
}
console.log(rows.join('\n'));
for (const line of [...missing, ...problems]) console.log(line);
process.exitCode = problems.length > 0 ? 1 : missing.length > 0 ? 2 : 0;

function slower(name: string, outcomes: ReadonlyMap<Kind, Outcome>): string[] {
  const ours = outcomes.get('zkserver')?.durations ?? {};
  const apache = outcomes.get('apache')?.durations ?? {};
  return Object.entries(ours).flatMap(([what, ms]) => {
    const theirs = apache[what];
    if (theirs === undefined || !isWorse(ms, theirs)) return [];
    return [`${name}: ${what}: ${Math.round(ms)} ms (Apache's server: ${Math.round(theirs)} ms)`];
  });
}
