import type { CreateOptions } from '../../client/base/client.js';
import { ZooKeeperError } from '../../client/base/errors.js';
import { walkTree } from '../../client/znodes/walk.js';
import { type CreateMode, CreateModes, MAX_TTL_MS } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { isWithin } from '../../protocol/path.js';
import { AclSyntaxError, parseAcl } from '../znodes/parse-acl.js';
import { cliFault, javaFault } from './cli-fault.js';
import type { CliWords } from './cli-options.js';
import { checkJavaPath } from './java-path.js';
import { argOf, type CliVerb } from './verb.js';

/** An invalid version ends the command. In Apache's shell, it ends the shell. */
function versionOf({ options }: CliWords): number {
  const text = options.get('v');
  if (text === undefined) return -1;
  if (/^[-+]?\d{1,10}$/.test(text)) return Number(text);
  throw javaFault('java.lang.NumberFormatException', [`For input string: "${text}"`]);
}

/** An invalid entry refuses the whole ACL. Apache's shell drops the entry. */
function aclOf(text: string): readonly ACL[] {
  try {
    return parseAcl(text);
  } catch (error) {
    if (!(error instanceof AclSyntaxError)) throw error;
    const invalid = text.slice(error.start, error.end);
    if (error.part === 'letter') throw cliFault(`Unknown perm type: ${invalid}`);
    if (error.part === 'permissions') throw cliFault('Acl is not valid : null');
    throw cliFault(`${invalid} does not have the form scheme:id:perm\nAcl is not valid : null`);
  }
}

function modeOf({ options }: CliWords): { mode: CreateMode; ttl?: number } {
  const [e, s, c] = ['e', 's', 'c'].map((letter) => options.has(letter));
  const t = options.get('t');
  if (c && (e || s)) {
    throw cliFault(
      '-c cannot be combined with -s or -e. Containers cannot be ephemeral or sequential.',
    );
  }
  if (t !== undefined && !/^[-+]?\d+$/.test(t)) {
    throw cliFault('-t argument must be a long value');
  }
  if (t !== undefined && e) throw cliFault('TTLs cannot be used with Ephemeral znodes');
  if (t !== undefined && c) throw cliFault('TTLs cannot be used with Container znodes');
  if (t !== undefined) {
    const ttl = BigInt(t);
    if (ttl <= 0n || ttl > MAX_TTL_MS) {
      throw cliFault(`ttl must be positive and cannot be larger than: ${MAX_TTL_MS}`);
    }
    const mode = s ? CreateModes.PERSISTENT_SEQUENTIAL_WITH_TTL : CreateModes.PERSISTENT_WITH_TTL;
    return { mode, ttl: Number(ttl) };
  }
  if (c) return { mode: CreateModes.CONTAINER };
  if (e) return { mode: s ? CreateModes.EPHEMERAL_SEQUENTIAL : CreateModes.EPHEMERAL };
  return { mode: s ? CreateModes.PERSISTENT_SEQUENTIAL : CreateModes.PERSISTENT };
}

const create: CliVerb = {
  usage: '[-s] [-e] [-c] [-t ttl] path [data] [acl]',
  options: { e: false, s: false, c: false, t: true },
  minArgs: 1,
  maxArgs: 3,
  run: async (shell, words) => {
    const { mode, ttl } = modeOf(words);
    const [path = '', data, aclText] = words.args;
    const acl = aclText === undefined ? undefined : aclOf(aclText);
    checkJavaPath(path, mode.isSequential);
    const client = await shell.ready();
    const options: CreateOptions = { mode, ttl, acl };
    try {
      const value = data === undefined ? null : Buffer.from(data);
      const made = await client.create(path, value, options);
      shell.complain(`Created ${made.path}`);
    } catch (error) {
      const isRefusedAcl = error instanceof ZooKeeperError && error.code === 'INVALIDACL';
      if (isRefusedAcl) shell.complain(error.message);
      throw error;
    }
  },
};

const set: CliVerb = {
  usage: 'path data [-s] [-v version] [-b]',
  options: { s: false, v: true, b: false },
  optionTable: [
    ' -b         Supply data in base64 format',
    ' -s         Print znode stats additionally',
    ' -v <arg>   Set with an expected version',
    '',
  ].join('\n'),
  minArgs: 2,
  maxArgs: 2,
  run: async (shell, words) => {
    const version = versionOf(words);
    const data = words.options.has('b') ? base64Of(argOf(words, 1)) : Buffer.from(argOf(words, 1));
    const path = checkJavaPath(argOf(words, 0));
    const client = await shell.ready();
    const stat = await client.setData(path, data, version);
    if (words.options.has('s')) shell.stat(stat);
  },
};

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

function base64Of(text: string): Buffer {
  if (BASE64.test(text)) return Buffer.from(text, 'base64');
  throw javaFault('java.lang.IllegalArgumentException', [`"${text}" is not base64`]);
}

const deleteVerb: CliVerb = {
  usage: '[-v version] path',
  options: { v: true },
  minArgs: 1,
  run: async (shell, words) => {
    if (words.args.length > 1) {
      // Apache's shell ignores the version, and deletes the znode in any state.
      throw cliFault(
        "'delete path [version]' has been deprecated. Please use 'delete [-v version] path' instead.",
      );
    }
    const version = versionOf(words);
    const path = checkJavaPath(argOf(words, 0));
    const client = await shell.ready();
    await client.delete(path, version);
  },
};

const deleteall: CliVerb = {
  usage: 'path [-b batch size]',
  options: { b: true },
  minArgs: 1,
  maxArgs: 1,
  run: async (shell, words) => {
    const batch = words.options.get('b') ?? '1000';
    if (!/^\d{1,9}$/.test(batch) || Number(batch) === 0) {
      throw cliFault('-b argument must be an int value');
    }
    const root = checkJavaPath(argOf(words, 0));
    if (root === '/' || isWithin(root, '/zookeeper')) {
      throw cliFault(`deleteall never deletes ${root}, which holds the server's own znodes`);
    }
    const client = await shell.ready();
    const paths: string[] = [];
    for await (const { path } of walkTree(client, root)) paths.push(path);
    paths.reverse();
    let isWhole = true;
    for (let at = 0; at < paths.length; at += Number(batch)) {
      const slice = paths.slice(at, at + Number(batch));
      const done = slice.map((path) => client.delete(path).then(NO_FAULT, asRefusal));
      isWhole = (await Promise.all(done)).every((isDeleted) => isDeleted) && isWhole;
    }
    if (!isWhole) shell.complain('Failed to delete some node(s) in the subtree!');
  },
};

const NO_FAULT = () => true;

function asRefusal(error: unknown): boolean {
  if (!(error instanceof ZooKeeperError) || error.code === 'CONNECTIONLOSS') throw error;
  return error.code === 'NONODE';
}

const setAcl: CliVerb = {
  usage: '[-s] [-v version] [-R] path acl',
  options: { s: false, v: true, R: false },
  minArgs: 2,
  maxArgs: 2,
  run: async (shell, words) => {
    const acl = aclOf(argOf(words, 1));
    const version = versionOf(words);
    const path = checkJavaPath(argOf(words, 0));
    const client = await shell.ready();
    if (!words.options.has('R')) {
      const stat = await client.setACL(path, acl, version);
      if (words.options.has('s')) shell.stat(stat);
      return;
    }
    for await (const visit of walkTree(client, path)) {
      try {
        await client.setACL(visit.path, acl, version);
      } catch (error) {
        if (!(error instanceof ZooKeeperError)) throw error;
        shell.streams.out(error.message);
      }
    }
  },
};

export const WRITE_VERBS: Readonly<Record<string, CliVerb>> = {
  create,
  set,
  delete: deleteVerb,
  deleteall,
  setAcl,
};
