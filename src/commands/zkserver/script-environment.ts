/**
 * What Apache's zkServer.sh takes from its environment: where zoo.cfg is, and flags of the JVM. The
 * search for zoo.cfg ends at Debian's folder, which its script names outright.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { ExitCode } from '../program/exit-status.js';
import { readSettings } from './settings-file.js';
import { type VerbArguments, type VerbIo, verbError } from './verb.js';

type Environment = VerbIo['env'];

export interface ScriptPlaces {
  /** The file of this program; zkServer.sh looks beside its own folder. */
  readonly program: string;
  /** The folders of a system's packages, by preference. */
  readonly systemFolders: readonly string[];
}

const PLACES: ScriptPlaces = {
  program: process.argv[1] ?? '',
  systemFolders: ['/etc/zookeeper/conf', '/etc/zookeeper'],
};

/** Files beside zoo.cfg in this order: one of Debian's unit, and what zkServer.sh runs as shell. */
const SETTINGS = ['environment', 'zookeeper-env.sh', 'java.env'] as const;
/** The flags of Debian's unit. */
const DEBIAN_FLAGS = 'JAVA_OPTS';

/** These choose what Java runs, and how. */
const OF_JAVA = ['ZOOMAIN', 'ZK_SERVER_HEAP', 'JMXPORT', 'ZOO_LOG4J_PROP'] as const;

/**
 * The call with the file that zkServer.sh would read, and with the system properties of JVMFLAGS
 * and of the files beside it. Writes the name of a file that it had to find, as zkServer.sh does.
 * @throws CommandError if the call names no configuration, and none is found
 */
export function withEnvironment(
  args: VerbArguments,
  io: VerbIo,
  places: ScriptPlaces = PLACES,
): VerbArguments {
  const operands = foundOperands(args.operands, io, places);
  const { env } = withSettings(operands, io.env);
  const properties = { ...propertiesOf(env), ...args.properties };
  return { ...args, operands, properties };
}

/** The environment after the files beside zoo.cfg, and their lines that were not understood. */
function withSettings([file = '', ...more]: readonly string[], env: Environment) {
  const unread: string[] = [];
  let variables: Environment = env;
  for (const name of more.length > 0 || /^\d+$/.test(file) ? [] : SETTINGS) {
    const path = join(dirname(file), name);
    const text = readOrNone(path);
    if (text === undefined) continue;
    const found = readSettings(text, variables);
    const flags = name === 'environment' ? found.variables[DEBIAN_FLAGS] : undefined;
    variables = {
      ...variables,
      ...found.variables,
      ...(flags === undefined ? {} : { SERVER_JVMFLAGS: flags }),
    };
    unread.push(...found.unread.map((line) => `${path}:${line}`));
  }
  return { env: variables, unread };
}

function readOrNone(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** A line for each setting of zkServer.sh that has no effect here. */
export function ignoredSettings(
  { operands }: Pick<VerbArguments, 'operands'>,
  given: Environment,
): readonly string[] {
  const { env, unread } = withSettings(operands, given);
  const flags = flagsOf(env).filter((flag) => !flag.startsWith('-D'));
  const names = [...OF_JAVA.filter((name) => isSet(given, name)), ...flags];
  return [
    ...names.map((name) => `zkserver: ${name}: ignored: this server has no JVM`),
    ...unread.map(
      (place) =>
        `zkserver: ${place}: ignored: only assignments count; set its variables in the environment, or use -D`,
    ),
  ];
}

function foundOperands(
  operands: readonly string[],
  { env, writeError }: VerbIo,
  places: ScriptPlaces,
): readonly string[] {
  const [first, ...more] = operands;
  const isElsewhere = first !== undefined && !isName(first);
  if (isElsewhere || more.length > 0) return operands;
  const name = first ?? (env['ZOOCFG'] || 'zoo.cfg');
  const files = isAbsolute(name) ? [name] : foldersOf(env, places).map((each) => join(each, name));
  const file = files.find((each) => existsSync(each));
  if (file !== undefined) {
    writeError(`Using config: ${file}`);
    return [file];
  }
  // The error of a file that cannot be read names it.
  if (first !== undefined) return operands;
  throw verbError(
    ExitCode.usage,
    `no configuration: not found: ${files.join(', ')}`,
    'Name a zoo.cfg, or a port and a data directory, or its folder: --config DIR or ZOOCFGDIR',
  );
}

/** Whether it names a file in the folder of the configuration, and not in the current one. */
function isName(operand: string): boolean {
  return !/^\d+$/.test(operand) && !operand.includes('/') && !existsSync(operand);
}

function foldersOf(env: Environment, { program, systemFolders }: ScriptPlaces): readonly string[] {
  const own = env['ZOOCFGDIR'] ?? '';
  return own === '' ? [join(dirname(program), '..', 'conf'), ...systemFolders] : [own];
}

/** As zkServer.sh: of a property that both variables set, the value in JVMFLAGS counts. */
function propertiesOf(env: Environment): Record<string, string> {
  const entries = flagsOf(env).flatMap((flag) => {
    const [, name, value = ''] = /^-D([^=]+)(?:=(.*))?$/s.exec(flag) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  const isCreated = !isSet(env, 'ZOO_DATADIR_AUTOCREATE_DISABLE');
  return {
    ...(isCreated ? {} : { 'zookeeper.datadir.autocreate': 'false' }),
    ...Object.fromEntries(entries),
  };
}

function flagsOf(env: Environment): readonly string[] {
  const text = `${env['SERVER_JVMFLAGS'] ?? ''} ${env['JVMFLAGS'] ?? ''}`;
  return text.split(/\s+/).filter((word) => word !== '');
}

function isSet(env: Environment, name: string): boolean {
  return (env[name] ?? '') !== '';
}
