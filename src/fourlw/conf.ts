import { hex64 } from '../protocol/zxid.js';
import { linesOf, pairOf } from './base/lines.js';
import type { QuorumConfigView, ServerView } from './base/server-view.js';
import { servingWord } from './base/word.js';

export interface ParsedConf {
  /** Every `name=value` line in order, except the members and the version of the membership. */
  readonly values: Readonly<Record<string, string>>;
  /** By sid, such as `127.0.0.1:22301:22311:participant`. */
  readonly servers: Readonly<Record<string, string>>;
  /** The zxid of the configuration in hex without 0x; only for members of an ensemble. */
  readonly configVersion: string | undefined;
  readonly unknown: readonly string[];
}

function render(view: ServerView): string {
  const { config } = view;
  const { dataDirSize, logDirSize } = view.dirs();
  return [
    `clientPort=${config.clientPort}\n`,
    `secureClientPort=${config.secureClientPort}\n`,
    `dataDir=${config.dataDir}\n`,
    `dataDirSize=${dataDirSize}\n`,
    `dataLogDir=${config.dataLogDir}\n`,
    `dataLogSize=${logDirSize}\n`,
    `tickTime=${config.tickTime}\n`,
    `maxClientCnxns=${config.maxClientCnxns}\n`,
    `minSessionTimeout=${config.minSessionTimeout}\n`,
    `maxSessionTimeout=${config.maxSessionTimeout}\n`,
    `clientPortListenBacklog=${config.clientPortListenBacklog}\n`,
    `serverId=${config.serverId}\n`,
    config.quorum === undefined ? '' : renderQuorum(config.quorum),
  ].join('');
}

function renderQuorum(quorum: QuorumConfigView): string {
  const { membership } = quorum;
  return [
    `initLimit=${quorum.initLimit}\n`,
    `syncLimit=${quorum.syncLimit}\n`,
    `electionAlg=${quorum.electionAlg}\n`,
    `electionPort=${quorum.electionPorts.join('|')}\n`,
    `quorumPort=${quorum.quorumPorts.join('|')}\n`,
    `peerType=${quorum.peerType === 'observer' ? 1 : 0}\n`,
    // Apache's server prints the blank after the colon, and no newline at the end.
    ...(membership === undefined
      ? []
      : [
          'membership: \n',
          ...membership.servers.map((server) => `${server}\n`),
          `version=${hex64(membership.version)}`,
        ]),
  ].join('');
}

function parse(text: string): ParsedConf {
  const values: Record<string, string> = {};
  const servers: Record<string, string> = {};
  const unknown: string[] = [];
  let configVersion: string | undefined;
  for (const line of linesOf(text)) {
    const pair = pairOf(line);
    const sid = /^server\.(\d+)$/.exec(pair?.[0] ?? '')?.[1];
    if (pair === undefined) {
      if (!line.startsWith('membership:')) unknown.push(line);
    } else if (sid !== undefined) servers[sid] = pair[1];
    else if (pair[0] === 'version') configVersion = pair[1];
    else values[pair[0]] = pair[1];
  }
  return { values, servers, configVersion, unknown };
}

export const conf = servingWord<ParsedConf>({
  word: 'conf',
  summary: 'Print the configuration in force, and the membership of the ensemble',
  render,
  parse,
});
