import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';
import { homeFolder } from '../program/home-folder.js';
import { suggestWord } from '../program/suggest-word.js';

/** Names of command-line options. */
const FIELDS = {
  connect: 'string',
  client: 'string',
  timeout: 'number',
  readonly: 'boolean',
  protected: 'boolean',
  'auth-file': 'string',
  'sasl-file': 'string',
  properties: 'string',
  cacert: 'string',
  cert: 'string',
  key: 'string',
  servername: 'string',
} as const;
type FieldName = keyof typeof FIELDS;
const FILE_FIELDS: readonly FieldName[] = [
  'auth-file',
  'sasl-file',
  'properties',
  'cacert',
  'cert',
  'key',
];

/** A named cluster of the configuration: its address, options, and permissions. */
export interface Profile {
  readonly connect?: string;
  readonly client?: string;
  readonly timeout?: number;
  readonly readonly?: boolean;
  /** Changes need confirmation, or an option on the command line. */
  readonly protected?: boolean;
  readonly 'auth-file'?: string;
  readonly 'sasl-file'?: string;
  readonly properties?: string;
  readonly cacert?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
}

/** ZKSH_CONFIG, or config.json in the configuration folder of zksh. */
export function configFile(env: Readonly<Record<string, string | undefined>>): string {
  const { ZKSH_CONFIG, XDG_CONFIG_HOME } = env;
  if (ZKSH_CONFIG !== undefined && ZKSH_CONFIG !== '') return ZKSH_CONFIG;
  const isGiven = XDG_CONFIG_HOME !== undefined && XDG_CONFIG_HOME !== '';
  return join(isGiven ? XDG_CONFIG_HOME : join(homeFolder(), '.config'), 'zksh', 'config.json');
}

/** File names are relative to the folder of the configuration. @throws CommandError USAGE */
export async function readProfile(file: string, name: string): Promise<Profile> {
  const profiles = profilesOf(file, await readText(file));
  if (!Object.hasOwn(profiles, name)) {
    const known = Object.keys(profiles);
    const suggestion = suggestWord(name, known);
    throw fault(
      `${file}: unknown profile: "${name}"`,
      suggestion === undefined
        ? `profiles: ${known.join(', ') || 'none'}`
        : `did you mean ${suggestion}?`,
    );
  }
  return checkProfile(file, name, profiles[name]);
}

/** Names and servers only, unchecked. Empty without a file. @throws CommandError USAGE */
export async function listProfiles(
  file: string,
): Promise<readonly { readonly name: string; readonly connect: string | undefined }[]> {
  const { profiles } = await readConfig(file);
  if (!isRecord(profiles)) return [];
  return Object.entries(profiles).map(([name, profile]) => {
    const connect = isRecord(profile) ? profile['connect'] : undefined;
    return { name, connect: typeof connect === 'string' ? connect : undefined };
  });
}

/** Empty without a file. @throws CommandError USAGE */
export async function readConfig(file: string): Promise<Readonly<Record<string, unknown>>> {
  if (!existsSync(file)) return {};
  const value = jsonOf(file, await readText(file));
  return isRecord(value) ? value : {};
}

function jsonOf(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fault(`${file}: not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function profilesOf(file: string, text: string): Readonly<Record<string, unknown>> {
  const value = jsonOf(file, text);
  const profiles = isRecord(value) ? value['profiles'] : undefined;
  if (isRecord(profiles)) return profiles;
  throw fault(
    `${file}: missing "profiles"`,
    'example: {"profiles": {"NAME": {"connect": "zk1,zk2"}}}',
  );
}

function checkProfile(file: string, name: string, value: unknown): Profile {
  if (!isRecord(value)) throw fault(`${file}: profile "${name}" is not an object`);
  const profile: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(value)) {
    const type = Object.hasOwn(FIELDS, key) ? FIELDS[key as FieldName] : undefined;
    if (type === undefined) throw unknownField(file, name, key);
    if (typeof given !== type) {
      throw fault(
        `${file}: profile "${name}": invalid "${key}": ${JSON.stringify(given)} (expected a ${type})`,
      );
    }
    const isFile = FILE_FIELDS.includes(key as FieldName);
    profile[key] = isFile ? expand(file, String(given)) : given;
  }
  return profile;
}

function unknownField(file: string, name: string, key: string): CommandError {
  if (key === 'auth' || key === 'password') {
    return fault(
      `${file}: profile "${name}" contains a password`,
      'put user:password into a separate file with mode 0600, and set "auth-file" to its name',
    );
  }
  const suggestion = suggestWord(key, Object.keys(FIELDS));
  return fault(
    `${file}: profile "${name}": unknown field: "${key}"`,
    suggestion === undefined
      ? `expected ${Object.keys(FIELDS).join(', ')}`
      : `did you mean ${suggestion}?`,
  );
}

function expand(file: string, name: string): string {
  if (name.startsWith('~/')) return join(homeFolder(), name.slice(2));
  return isAbsolute(name) ? name : join(dirname(file), name);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw fault(`${file}: cannot read profiles: ${why}`, 'set ZKSH_CONFIG to use another file');
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A file or a variable that zksh cannot use. */
export function fault(sentence: string, hint?: string): CommandError {
  return new CommandError(sentence, { code: 'USAGE', exitCode: ExitCode.usage, hint });
}
