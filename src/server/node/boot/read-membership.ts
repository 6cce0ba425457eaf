/** The identity of a member and of the others: zoo.cfg, the dynamic file, and myid. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkText } from '../../../protocol/check-argument.js';
import { checkConfig } from '../../config/check-config.js';
import { type Config, MAX_SID } from '../../config/config.js';
import { problemOf, type QuorumServerConfig } from '../../config/config-ensemble.js';
import { decodeProperties } from '../../config/java-properties.js';
import {
  makeQuorumConfig,
  parseQuorumConfig,
  type QuorumConfig,
  voters,
} from '../../quorum/membership/quorum-config.js';
import { addressOf } from '../sockets/movable-listener.js';
import { ExitCode, isMissing, ServerError } from '../storage/errors.js';
import { nextConfigFileOf } from './config-file.js';

export interface MemberIdentity {
  readonly sid: number;
  readonly own: QuorumServerConfig;
  readonly quorumConfig: QuorumConfig;
  /** zoo.cfg.dynamic.next, which a reconfig leaves if a crash interrupts it. */
  readonly nextConfig: QuorumConfig | null;
}

/** With extended types, the highest byte marks a znode with a TTL. */
const MAX_SID_WITH_TTL = 254;

/** Null for a standalone configuration. @throws ServerError ECONFIG that names file and line */
export async function readMembership(
  config: Config,
  dataDir: string | null,
  configFile: string,
): Promise<MemberIdentity | null> {
  checkConfig('config', config);
  if (dataDir !== null) checkText('dataDir', dataDir);
  checkText('configFile', configFile);
  if (!config.isReplicated) return null;
  const quorumConfig = await readQuorumConfig(config, configFile);
  if (config.standaloneEnabled && voters(quorumConfig).length === 1) return null;
  if (config.oraclePath !== null && quorumConfig.groups.size > 0) {
    throw refusal(
      `${configFile}: oraclePath: cannot decide between groups of servers: remove it, or the lines group.N`,
    );
  }
  if (dataDir === null) {
    throw refusal(
      `${configFile}: dataDir: missing (expected a folder: a member of an ensemble needs a disk)`,
    );
  }
  const { dynamicConfigFile } = config;
  const sid = await readMyid(config, dataDir, quorumConfig, dynamicConfigFile ?? configFile);
  const own = quorumConfig.members.get(sid) as QuorumServerConfig;
  await checkClientAddress(config, own, configFile);
  const nextConfig = dynamicConfigFile === null ? null : await readNextConfig(configFile);
  return { sid, own, quorumConfig, nextConfig };
}

/**
 * Null without a line server.N. It counts also for the only participant, which serves alone.
 * @example
 * const text = 'dataDir=data\nserver.1=zk1:2888:3888;2181';
 * const parsed = parseConfig(text, { fileName: 'zoo.cfg' });
 * if ('errors' in parsed) throw new Error(parsed.errors.map(({ text }) => text).join());
 * const own = await readOwnLine(parsed.config, 'data', 'zoo.cfg');
 * console.log(own === null ? 'serves alone' : `server.${own.sid}`);
 */
export async function readOwnLine(
  config: Config,
  dataDir: string | null,
  configFile: string,
): Promise<QuorumServerConfig | null> {
  const membership = await readMembership(config, dataDir, configFile);
  return membership?.own ?? readLoneParticipant(config, configFile);
}

/** Null if zoo.cfg has no line server.N. */
export async function readLoneParticipant(
  config: Config,
  configFile: string,
): Promise<QuorumServerConfig | null> {
  if (config.servers.length === 0 && config.dynamicConfigFile === null) return null;
  const quorumConfig = await readQuorumConfig(config, configFile);
  const own = quorumConfig.members.get(voters(quorumConfig)[0] ?? -1);
  if (own === undefined) return null;
  await checkClientAddress(config, own, configFile);
  return own;
}

async function checkClientAddress(
  config: Config,
  { sid, client, secureClient }: QuorumServerConfig,
  configFile: string,
): Promise<void> {
  const pairs = [
    ['clientPort', config.clientPort, client?.port],
    ['clientPortAddress', config.clientPortAddress, client?.address],
    ['secureClientPort', config.secureClientPort, secureClient?.port],
    ['secureClientPortAddress', config.secureClientPortAddress, secureClient?.address],
  ] as const;
  for (const [key, inFile, inLine] of pairs) {
    if (inFile === null || inLine == null || (await isSamePlace(inFile, inLine))) continue;
    throw refusal(
      `${configFile}: ${key}: ${inFile} differs from ${inLine} in the line of server ${sid}: remove one of them`,
    );
  }
}

/** Two ports, or two hosts, of which one may be a name of the other. */
async function isSamePlace(a: string | number, b: string | number): Promise<boolean> {
  if (a === b || typeof a === 'number' || typeof b === 'number') return a === b;
  return (await addressOf(a)) === (await addressOf(b));
}

async function readQuorumConfig(config: Config, configFile: string): Promise<QuorumConfig> {
  const { dynamicConfigFile: file, servers, groups, weights } = config;
  if (file === null) {
    const bySid = new Map(servers.map((server) => [server.sid, server]));
    const lines = { servers: bySid, groups: new Map(groups), weights: new Map(weights) };
    const made = makeQuorumConfig(lines, 0n);
    if (typeof made === 'string') throw refusal(`${configFile}: ${made}`);
    return made;
  }
  const text = await readProperties(file).catch((cause: Error) => {
    throw refusal(`${configFile}: dynamicConfigFile: ${file}: cannot read: ${cause.message}`);
  });
  if (/^[ \t\f]*version[ \t\f]*[=:]/m.test(text)) {
    throw refusal(`${file}: the version is in the text (expected in the name of the file)`);
  }
  const parsed = parseFile(file, `${text}\nversion=${versionInName(file)}`);
  const problem = problemOf(parsed.members.values(), config);
  if (problem !== '') throw refusal(`${file}: ${problem}`);
  return parsed;
}

/** Apache's server, too, reads it only if zoo.cfg names a dynamic file. */
async function readNextConfig(configFile: string): Promise<QuorumConfig | null> {
  const file = nextConfigFileOf(configFile);
  try {
    return parseFile(file, await readProperties(file));
  } catch (error) {
    if (error instanceof ServerError) throw error;
    if (isMissing(error)) return null;
    throw refusal(`${file}: cannot read: ${error instanceof Error ? error.message : error}`);
  }
}

async function readProperties(file: string): Promise<string> {
  return decodeProperties(await readFile(file));
}

function parseFile(file: string, text: string): QuorumConfig {
  const parsed = parseQuorumConfig(text);
  if (typeof parsed !== 'string') return parsed;
  const [, line, message] = /^line (\d+): (.*)$/s.exec(parsed) ?? [];
  throw refusal(line === undefined ? `${file}: ${parsed}` : `${file}:${line}: ${message}`);
}

/** "zoo.cfg.dynamic.100000003" has version 0x100000003; a name without a number has version 0. */
function versionInName(file: string): string {
  return /\.([0-9a-fA-F]{1,16})$/.exec(file)?.[1] ?? '0';
}

async function readMyid(
  config: Config,
  dataDir: string,
  { members }: QuorumConfig,
  source: string,
): Promise<number> {
  const path = join(dataDir, 'myid');
  const known = [...members.keys()].sort((a, b) => a - b).join(', ');
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'it is missing' : cause.message;
    throw refusal(`${path}: expected the id of this server, one of ${known}, but ${why}`);
  });
  const [first = ''] = text.split(/\r?\n/, 1);
  const max = config.extendedTypesEnabled ? MAX_SID_WITH_TTL : MAX_SID;
  const sid = /^\s*\d{1,9}\s*$/.test(first) ? Number(first) : -1;
  if (sid < 0 || sid > max) {
    throw refusal(
      `${path}: invalid id: ${JSON.stringify(first)} (expected a number from 0 to ${max})`,
    );
  }
  if (!members.has(sid)) {
    const advice =
      config.dynamicConfigFile === null
        ? ''
        : '. If a reconfig removed this server, start it again with a new zoo.cfg that lists it, and without its data';
    throw refusal(
      `${path}: ${source} has no line server.${sid} (expected one of ${known})${advice}`,
    );
  }
  return sid;
}

function refusal(message: string): ServerError {
  return new ServerError('ECONFIG', ExitCode.USAGE, message);
}
