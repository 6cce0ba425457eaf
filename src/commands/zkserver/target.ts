/** The server of the command line: a zoo.cfg, or a port and a data directory. */

import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import type { ServerAddress } from '../../client/base/connect-string.js';
import { type Config, type ConfigResult, configFromOptions } from '../../server/config/config.js';
import { decodeProperties } from '../../server/config/java-properties.js';
import { parseConfig } from '../../server/config/parse-config.js';
import { ExitCode, SERVER_STATUS } from '../program/exit-status.js';
import { hasCode } from '../program/file-error.js';
import { shellWord } from '../program/shell-word.js';
import { emptyBesideData, encodingWarnings } from './config-encoding.js';
import { OTHER_USER, quotedError, usageError, type VerbArguments, verbError } from './verb.js';

export interface Target {
  readonly config: Config;
  readonly configFile: string | undefined;
  readonly dataDir: string;
  readonly host: string;
  /** 0 selects a free port; null means no plain client port. */
  readonly port: number | null;
  readonly warnings: readonly string[];
}

/** @throws CommandError for a wrong call, or with one line per error of zoo.cfg */
export function targetOf(args: VerbArguments): Target {
  const [first = '', second] = args.operands;
  if (second !== undefined) return targetAt(first, second, args.properties);
  if (/^\d+$/.test(first)) throw usageError(`expected a data directory after port ${first}`);
  const text = readConfig(first);
  const result = parseConfig(text, { fileName: first, properties: args.properties });
  const { config, warnings } = valid(result);
  refuseOtherFolders(first, config);
  return describe(
    config,
    first,
    [...encodingWarnings(first, text), ...warnings],
    config.clientPort ?? (config.secureClientPort === null ? 0 : null),
  );
}

function targetAt(
  portText: string,
  dataDir: string,
  properties: VerbArguments['properties'],
): Target {
  const port = /^\d{1,5}$/.test(portText) ? Number(portText) : -1;
  if (port < 0 || port > 65535) {
    throw usageError(`expected a port from 0 to 65535, found "${portText}"`);
  }
  const places = { dataDir, ...(port === 0 ? {} : { clientPort: portText }) };
  const { config, warnings } = valid(configFromOptions({ ...properties, ...places }));
  return describe(config, undefined, warnings, port);
}

/** The file of the unit of systemd, unless a drop-in names another one. */
export const UNIT_FILE = '/var/lib/zookeeper/zoo.cfg';
const NEW_UNIT =
  'make it with zkserver init, or let the unit run another zoo.cfg: sudo zkserver init ZOO.CFG --unit';

function readConfig(file: string): string {
  try {
    return decodeProperties(readFileSync(file));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `${file}: cannot read: ${why}`;
    const isForbidden = hasCode(error, 'EACCES');
    const forUnit = `${OTHER_USER}. The unit reads it as its own user: sudo chown zookeeper: ${shellWord(file)}`;
    const advice = isForbidden ? forUnit : file === UNIT_FILE ? NEW_UNIT : undefined;
    throw verbError(ExitCode.usage, text, advice);
  }
}

function refuseOtherFolders(file: string, { dataDir, dataLogDir }: Config): void {
  for (const [key, folder] of Object.entries({ dataDir, dataLogDir })) {
    const reason = folder === null ? undefined : emptyBesideData(key, folder);
    if (reason !== undefined) throw verbError(SERVER_STATUS.dataDir, `${file}: ${reason}`);
  }
}

function valid(result: ConfigResult): { config: Config; warnings: readonly string[] } {
  if ('errors' in result) {
    throw quotedError(
      ExitCode.usage,
      result.errors.map(({ text }) => text),
    );
  }
  return { config: result.config, warnings: result.warnings.map(({ text }) => text) };
}

function describe(
  config: Config,
  configFile: string | undefined,
  warnings: readonly string[],
  port: number | null,
): Target {
  const host = config.clientPortAddress ?? anyAddress();
  return { config, configFile, dataDir: config.dataDir ?? '.', host, port, warnings };
}

/** The wildcard of IPv6 includes IPv4. */
function anyAddress(): string {
  const all = Object.values(networkInterfaces()).flat();
  return all.some((address) => address?.family === 'IPv6') ? '::' : '0.0.0.0';
}

/** Where clients reach the server; null without such a port. */
interface ClientAddresses {
  readonly plain: ServerAddress | null;
  readonly secure: ServerAddress | null;
}

/** The line server.N of this server comes before the keys of zoo.cfg. */
export async function clientAddressesOf(target: Target): Promise<ClientAddresses> {
  const { config, configFile, dataDir, host, port } = target;
  const { readOwnLine } = await import('../../server/main.js');
  const own = await readOwnLine(config, dataDir, configFile ?? 'zoo.cfg');
  const secureHost = config.secureClientPortAddress ?? anyAddress();
  return {
    plain: reachable(own?.client?.address ?? host, own?.client?.port ?? port),
    secure: reachable(
      own?.secureClient?.address ?? secureHost,
      own?.secureClient?.port ?? config.secureClientPort,
    ),
  };
}

/** Replaces a wildcard address, to which clients cannot connect. */
function reachable(host: string, port: number | null): ServerAddress | null {
  if (port === null) return null;
  if (host === '0.0.0.0') return { host: '127.0.0.1', port };
  return { host: /^[0:]+$/.test(host) ? 'localhost' : host, port };
}
