import { limitPath, NO_QUOTA, QUOTA_ROOT, type QuotaFigures } from '../../protocol/quota.js';
import {
  QuotaConflict,
  quotaWarnings,
  readQuota,
  removeQuota,
  writeQuota,
} from '../znodes/quota-nodes.js';
import { cliFault, javaFault } from './cli-fault.js';
import { checkJavaPath } from './java-path.js';
import { argOf, type CliVerb } from './verb.js';

const LIMIT_OF: Readonly<Record<string, keyof QuotaFigures>> = {
  n: 'count',
  b: 'bytes',
  N: 'countHardLimit',
  B: 'byteHardLimit',
};
const TEXT_OF: Readonly<Record<string, string>> = {
  n: 'num soft quota',
  b: 'bytes soft quota',
  N: 'num hard quota',
  B: 'bytes hard quota',
};

/** Only one of the four is allowed. @throws CommandError */
function limitOf(options: ReadonlyMap<string, string>): string | undefined {
  const [first, second] = [...options.keys()];
  if (second !== undefined) {
    throw javaFault('org.apache.commons.cli.AlreadySelectedException', [
      `The option '${second}' was specified but an option from this group has already been selected: '${first}'`,
    ]);
  }
  return first;
}

const setquota: CliVerb = {
  usage: '-n|-b|-N|-B val path',
  options: { n: true, b: true, N: true, B: true },
  minArgs: 1,
  maxArgs: 1,
  run: async (shell, words) => {
    const letter = limitOf(words.options);
    if (letter === undefined) {
      const choices = Object.entries(TEXT_OF).map(([name, text]) => `-${name} ${text}`);
      throw javaFault('org.apache.commons.cli.MissingOptionException', [
        `Missing required option: [${choices.join(', ')}]`,
      ]);
    }
    const path = argOf(words, 0);
    const refusal = refusalOf(path, letter, words.options.get(letter) ?? '');
    // For Apache's shell, these are not errors.
    if (refusal !== undefined) return shell.complain(refusal);
    checkJavaPath(path);
    const client = await shell.ready();
    if ((await client.exists(path)) === null) throw cliFault(`${path} does not exist.`);
    const limit = LIMIT_OF[letter] ?? 'count';
    const change = { ...NO_QUOTA, [limit]: Number(words.options.get(letter)) };
    try {
      const quota = await writeQuota(client, path, change);
      for (const warning of quotaWarnings(quota)) shell.line(warning);
    } catch (error) {
      if (error instanceof QuotaConflict) throw cliFault(error.message);
      throw error;
    }
  },
};

function refusalOf(path: string, letter: string, value: string): string | undefined {
  if (path.startsWith(QUOTA_ROOT)) return `cannot set a quota under the path: ${QUOTA_ROOT}`;
  if (!/^[-+]?\d{1,18}$/.test(value)) {
    return 'NumberFormatException happens when parsing the option value';
  }
  const isCount = letter.toLowerCase() === 'n';
  if (isCount && Number(value) <= 0) return 'the num quota must be greater than zero';
  if (Number(value) < 0) return 'the bytes quota must be greater than or equal to zero';
  return undefined;
}

const listquota: CliVerb = {
  usage: 'path',
  options: {},
  minArgs: 1,
  run: async (shell, words) => {
    const path = argOf(words, 0);
    const client = await shell.ready();
    shell.complain(`absolute path is ${limitPath(path)}`);
    checkJavaPath(limitPath(path));
    const quota = await readQuota(client, path);
    if (quota === undefined) return shell.complain(`quota for ${path} does not exist.`);
    shell.line(`Output quota for ${path} ${quota.limitText}`);
    shell.line(`Output stat for ${path} ${quota.usageText}`);
  },
};

const delquota: CliVerb = {
  usage: '[-n|-b|-N|-B] path',
  options: { n: false, b: false, N: false, B: false },
  minArgs: 1,
  maxArgs: 1,
  run: async (shell, words) => {
    const letter = limitOf(words.options);
    const path = argOf(words, 0);
    const client = await shell.ready();
    checkJavaPath(limitPath(path));
    const limit = letter === undefined ? undefined : LIMIT_OF[letter];
    const isThere = await removeQuota(client, path, limit === undefined ? [] : [limit]);
    if (!isThere) shell.line(`Quota does not exist for ${path}`);
  },
};

export const QUOTA_VERBS: Readonly<Record<string, CliVerb>> = { setquota, listquota, delquota };
