import type { CommandError } from '../program/command-error.js';
import { cliFault } from './cli-fault.js';
import { QUOTA_VERBS } from './quota-verbs.js';
import { READ_VERBS } from './read-verbs.js';
import { SESSION_VERBS } from './session-verbs.js';
import type { CliVerb } from './verb.js';
import { WRITE_VERBS } from './write-verbs.js';

/** The 29 commands of Apache's shell, in the order of its usage. */
export const CLI_VERBS: ReadonlyMap<string, CliVerb> = new Map(
  Object.entries({ ...READ_VERBS, ...WRITE_VERBS, ...QUOTA_VERBS, ...SESSION_VERBS }).sort(
    ([a], [b]) => (a < b ? -1 : 1),
  ),
);

/** For an unknown command. */
export function cliUsage(): string {
  const lines = [...CLI_VERBS].map(([name, { usage }]) => `\t${name} ${usage}`);
  return [
    'ZooKeeper -server host:port -client-configuration properties-file cmd args',
    ...lines,
  ].join('\n');
}

export function usageFault(name: string, verb: CliVerb): CommandError {
  const table = verb.optionTable === undefined ? '' : `\n${verb.optionTable}`;
  return cliFault(`${name} ${verb.usage}${table}`);
}
