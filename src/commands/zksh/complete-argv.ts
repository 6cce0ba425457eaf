// `zksh __complete -- WORDS…`, for the completion scripts of other shells. It prints no error and
// asks nothing: without a server, paths have no candidates.

import { completeFlag } from '../machine/complete.js';
import {
  type Answer,
  type Candidate,
  FILES,
  FOLDERS,
  fitting,
  NO_ANSWER,
  timeLeft,
} from '../machine/completion-answer.js';
import { COMPLETION_SHELLS } from '../machine/completion-shells.js';
import type { ArgumentSpec, OptionSpec } from '../machine/declaration.js';
import { rolesOf, tokensOf } from '../machine/word-role.js';
import { splitCommand } from './argv-command.js';
import {
  type CompletionContext,
  completeLine,
  completeWord,
  type Found,
} from './completing/complete.js';
import { listFiles } from './completing/list-files.js';
import { makeVocabulary } from './completing/vocabulary.js';
import { allCommands } from './running/registry.js';
import { ShellSession } from './session/shell-session.js';
import { sessionOptions } from './session-options.js';
import { ZKSH } from './zksh-declaration.js';
import { parseZkshOptions } from './zksh-options.js';

type Env = Readonly<Record<string, string | undefined>>;

/** @param before the words of the line without `zksh` */
export async function completeArgv(
  before: readonly string[],
  word: string,
  env: Env,
): Promise<Answer> {
  if (before[0] === 'completion') {
    const shells = COMPLETION_SHELLS.map((value) => ({ value }));
    return before.length === 1 ? { candidates: fitting(shells, word) } : NO_ANSWER;
  }
  if (before[0] === '--zkcli') return NO_ANSWER;
  const { own, command } = splitCommand(before, ZKSH.options);
  const { next, isNextAwaited, mayBeOption } = rolesOf(ZKSH, tokensOf(own));
  const living = new LivingPaths(isNextAwaited ? own.slice(0, -1) : own, env);
  try {
    if (command.length > 0) {
      const context = await contextOf(living);
      return answerOf(await completeWord(tokensOf(command), word, context));
    }
    if (next.role !== 'value') return NO_ANSWER;
    if (isNextAwaited) return await completeOption(next.name, next.spec, word, living);
    if (mayBeOption && word.startsWith('-')) {
      return await completeFlag(ZKSH, own, word, (name, spec, text) =>
        completeOption(name, spec, text, living),
      );
    }
  } finally {
    await living.close();
  }
  const commands = await commandCandidates();
  if (next.name === 'command') return { candidates: fitting(commands, word) };
  const script = { value: 'completion', about: 'Print a completion script' };
  const targets = await knownTargets(env);
  const first = [...commands, ...(before.length === 0 ? [script] : []), ...targets];
  return { candidates: fitting(first, word) };
}

async function completeOption(
  name: string,
  { kind, choices }: OptionSpec | ArgumentSpec,
  text: string,
  living: LivingPaths,
): Promise<Answer> {
  if (name === 'command') return answerOf(await completeLine(text, await contextOf(living)));
  if (name === 'profile') return { candidates: fitting(await profileCandidates(living.env), text) };
  if (kind === 'folder') return FOLDERS;
  if (kind === 'file') return FILES;
  if (choices === undefined) return NO_ANSWER;
  const values = choices.map((value) => ({ value }));
  return { candidates: fitting(values, text) };
}

function answerOf({ prefix, choices, areFiles }: Found): Answer {
  // A shell knows files better, but not after a sign.
  if (areFiles === true && !prefix.startsWith('@')) return FILES;
  return {
    candidates: choices.map(({ name, about }) => ({ value: prefix + name, about })),
    isOpen: choices.some(({ isOpen }) => isOpen),
  };
}

async function commandCandidates(): Promise<readonly Candidate[]> {
  return (await allCommands()).flatMap(({ name, aliases = [], summary }) =>
    [name, ...aliases].map((value) => ({ value, about: summary })),
  );
}

async function contextOf(living: LivingPaths): Promise<CompletionContext> {
  return {
    vocabulary: makeVocabulary(await allCommands()),
    cwd: '/',
    listFiles,
    listChildren: (path) => living.listChildren(path),
  };
}

/** Connects only for the first path. */
class LivingPaths {
  readonly env: Env;
  private readonly servers: readonly string[];
  private session: Promise<ShellSession> | undefined;

  constructor(servers: readonly string[], env: Env) {
    this.env = env;
    this.servers = servers;
  }

  async listChildren(path: string): Promise<readonly string[]> {
    this.session ??= openSession(this.servers, this.env);
    const client = await (await this.session).ready();
    return (await client.getChildren(path)).children;
  }

  async close(): Promise<void> {
    const session = await this.session?.catch(() => undefined);
    await session?.close();
  }
}

async function openSession(servers: readonly string[], env: Env): Promise<ShellSession> {
  // Nobody can answer the prompt for a password now, and the native client loads slowly.
  const options = {
    ...parseZkshOptions(servers, env),
    askAuth: undefined,
    clientKind: 'builtin' as const,
  };
  const settings = await sessionOptions(options, undefined, env);
  const timeoutMs = Math.ceil(timeLeft());
  return new ShellSession({
    ...settings,
    client: { ...settings.client, connectRounds: 1 },
    isReadOnly: true,
    isDryRun: false,
    timeoutMs,
  });
}

async function profileCandidates(env: Env): Promise<readonly Candidate[]> {
  const { configFile, listProfiles } = await import('../connecting/profiles.js');
  const profiles = await listProfiles(configFile(env)).catch(() => []);
  return profiles.map(({ name, connect }) => ({ value: name, about: connect }));
}

/** The targets of the profiles, and of ZKSH_CONNECT. */
async function knownTargets(env: Env): Promise<readonly Candidate[]> {
  const profiles = await profileCandidates(env);
  const named = profiles.flatMap(({ value, about }) =>
    about === undefined ? [] : [{ value: about, about: `profile ${value}` }],
  );
  const variable = env['ZKSH_CONNECT'] ?? '';
  return variable === '' ? named : [{ value: variable, about: 'ZKSH_CONNECT' }, ...named];
}
