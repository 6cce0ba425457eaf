import { releaseOf } from '../../../fourlw/srvr.js';
import { STATE } from '../../ensemble/columns.js';
import { parsedOf } from '../../ensemble/member.js';
import type { Column, OpsVerb } from '../../ensemble/verb.js';

function variable(title: string, name: string, rank: number, older?: string): Column {
  return {
    title,
    key: name,
    rank,
    value: (member) => {
      const values = parsedOf(member, 'envi')?.values;
      return values?.[name] ?? values?.[older ?? name];
    },
  };
}

export const envi: OpsVerb = {
  name: 'envi',
  summary: 'Show the environment of every member; with --all, every variable',
  words: ['envi'],
  judge: 'answers',
  columns: [
    STATE,
    {
      title: 'VERSION',
      key: 'zookeeper.version',
      rank: 1,
      value: (member) => releaseOf(parsedOf(member, 'envi')?.values['zookeeper.version']),
    },
    variable('RUNTIME', 'java.version', 2),
    variable('HOST', 'host.name', 3),
    variable('USER', 'user.name', 4),
    // ZOOKEEPER-4792 renamed os.memory.*.
    variable('FREE', 'jvm.memory.free', 5, 'os.memory.free'),
    variable('MAX', 'jvm.memory.max', 6, 'os.memory.max'),
    variable('ARCH', 'os.arch', 7),
    variable('SYSTEM', 'os.version', 8),
  ],
  pairs: (member) => Object.entries(parsedOf(member, 'envi')?.values ?? {}),
  data: (member) => ({ environment: parsedOf(member, 'envi')?.values }),
};
