import { STATE } from '../../ensemble/columns.js';
import { parsedOf } from '../../ensemble/member.js';
import type { Column, OpsVerb } from '../../ensemble/verb.js';

/** ClickHouse Keeper has other names for some settings. */
function setting(title: string, name: string, rank: number, instead?: string): Column {
  return {
    title,
    key: name,
    rank,
    value: (member) => {
      const values = parsedOf(member, 'conf')?.values;
      return values?.[name] ?? values?.[instead ?? name];
    },
  };
}

export const conf: OpsVerb = {
  name: 'conf',
  summary: 'Show the configuration in force on every member; with --all, every value',
  words: ['conf'],
  judge: 'answers',
  columns: [
    STATE,
    setting('SID', 'serverId', 1, 'server_id'),
    setting('PORT', 'clientPort', 2, 'tcp_port'),
    setting('TICK', 'tickTime', 3),
    setting('CNXNS', 'maxClientCnxns', 4),
    setting('MIN ms', 'minSessionTimeout', 6, 'min_session_timeout_ms'),
    setting('MAX ms', 'maxSessionTimeout', 7, 'session_timeout_ms'),
    {
      key: 'members',
      rank: 5,
      value: (member) => {
        const count = Object.keys(parsedOf(member, 'conf')?.servers ?? {}).length;
        return count === 0 ? undefined : count;
      },
    },
    setting('DATA DIR', 'dataDir', 8, 'snapshot_storage_path'),
  ],
  pairs: (member) => {
    const parsed = parsedOf(member, 'conf');
    if (parsed === undefined) return [];
    return [
      ...Object.entries(parsed.values),
      ...Object.entries(parsed.servers).map(([sid, text]) => [`server.${sid}`, text] as const),
      ...(parsed.configVersion === undefined ? [] : [['version', parsed.configVersion] as const]),
    ];
  },
  data: (member) => ({ ...parsedOf(member, 'conf') }),
};
