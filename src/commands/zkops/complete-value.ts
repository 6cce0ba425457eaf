// Values of zkops that no declaration lists, for `__complete`: profiles, members, limits, and what
// the members answer, if they answer in time.
import { askAll } from '../ensemble/ask-all.js';
import { type MemberAddress, nameOf } from '../ensemble/member-address.js';
import { tlsOf } from '../ensemble/member-tls.js';
import { MEMBER_SOURCES, resolveMembers, withNamedServers } from '../ensemble/members.js';
import { THRESHOLDS } from '../ensemble/verdict/thresholds.js';
import { completeByKind, type ExpectedValue } from '../machine/complete.js';
import {
  type Answer,
  type Candidate,
  fitting,
  inList,
  NO_ANSWER,
  timeLeft,
} from '../machine/completion-answer.js';
import { completePath } from '../znodes/complete-path.js';
import type { CliWorld } from './calls/cli-world.js';
import { type ProfileOptions, withProfile } from './calls/profile.js';
import { VERBS } from './index.js';
import { KNOWN_KEYS } from './verbs/known-keys.js';

type Complete = (expected: ExpectedValue, world: CliWorld) => Promise<Answer>;

const BY_OPTION: Readonly<Record<string, Complete>> = {
  profile: async ({ text }, { env = {} }) => ({ candidates: fitting(await profiles(env), text) }),
  servers: async (expected, world) => inList(await knownServers(expected, world), expected.text),
  connect: async ({ text }, { env = {} }) => ({ candidates: fitting(await targets(env), text) }),
  restart: async (expected, world) => {
    const names = (await membersOf(expected, world)).map((member) => ({ value: nameOf(member) }));
    return { candidates: fitting(names, expected.text) };
  },
  warn: async ({ text }) => completeLimit(text, 'warning'),
  crit: async ({ text }) => completeLimit(text, 'critical'),
  keys: completeKey,
  path: completeZnode,
};

export async function completeOpsValue(expected: ExpectedValue, world: CliWorld): Promise<Answer> {
  const { option = '' } = expected;
  const complete = Object.hasOwn(BY_OPTION, option) ? BY_OPTION[option] : undefined;
  if (complete !== undefined) return complete(expected, world);
  return completeByKind(expected);
}

type Env = NonNullable<CliWorld['env']>;

async function profiles(env: Env): Promise<readonly Candidate[]> {
  const { configFile, listProfiles } = await import('../connecting/profiles.js');
  const found = await listProfiles(configFile(env)).catch(() => []);
  return found.map(({ name, connect }) => ({ value: name, about: connect }));
}

/** The connect strings of the profiles. */
async function targets(env: Env): Promise<readonly Candidate[]> {
  return (await profiles(env)).flatMap(({ value, about }) =>
    about === undefined ? [] : [{ value: about, about: `profile ${value}` }],
  );
}

/** Servers of the environment and of the profiles, each with its source. */
async function knownServers(
  { given }: ExpectedValue,
  world: CliWorld,
): Promise<readonly Candidate[]> {
  const { env = {} } = world;
  const listed = await listedMembers(
    new Map([...given].filter(([name]) => name === 'ensemble')),
    env,
  )
    .then((members) => members.map((member) => ({ value: nameOf(member) })))
    .catch(() => []);
  const named = (await targets(env)).flatMap(({ value, about }) => {
    const [servers = ''] = value.replace(/^zks?:\/\//, '').split('/');
    return servers.split(',').map((server) => ({ value: server, about }));
  });
  const all = [...listed, ...named];
  return all.filter(({ value }, at) => all.findIndex((each) => each.value === value) === at);
}

type MemberOptions = Parameters<typeof resolveMembers>[0] &
  Parameters<typeof tlsOf>[0] &
  ProfileOptions;

/** The options that name and reach members, with their variables and the profile. */
async function memberOptions(given: ExpectedValue['given'], env: Env): Promise<MemberOptions> {
  const isChosen = [...MEMBER_SOURCES, 'profile'].some((name) => given.has(name));
  const textOf = (name: string): string | undefined => {
    const variable = env[`ZKOPS_${name.toUpperCase()}`] || undefined;
    const isSource = name === 'profile' || MEMBER_SOURCES.some((source) => source === name);
    return given.get(name) ?? (isChosen && isSource ? undefined : variable);
  };
  const names = [...MEMBER_SOURCES, 'profile', 'cacert', 'cert', 'key', 'servername', 'auth'];
  const entries = names.map((name) => [name, textOf(name)] as const);
  const options: MemberOptions = Object.fromEntries(
    entries.filter(([, text]) => text !== undefined),
  );
  return withProfile(options, env);
}

async function listedMembers(
  given: ExpectedValue['given'],
  env: Env,
): Promise<readonly MemberAddress[]> {
  const options = await memberOptions(given, env);
  return resolveMembers(await withNamedServers(options));
}

function membersOf(
  { given }: ExpectedValue,
  { env = {} }: CliWorld,
): Promise<readonly MemberAddress[]> {
  return listedMembers(given, env);
}

/** `[role:]name=`, with the published limit. */
function completeLimit(text: string, level: 'warning' | 'critical'): Answer {
  const role = /^[a-z]+:/.exec(text)?.[0] ?? '';
  const limits = THRESHOLDS.map((threshold) => {
    const { name, label, unit } = threshold;
    const limit = threshold[level];
    const now = limit === undefined ? 'no limit' : `${limit}${unit === '' ? '' : ` ${unit}`}`;
    return { value: `${role}${name}=`, about: `${label} (${now})` };
  });
  return { candidates: fitting(limits, text), isOpen: true };
}

/** The names in the answer of the first member that answers. */
async function completeKey(expected: ExpectedValue, world: CliWorld): Promise<Answer> {
  const verb = VERBS.find(({ name }) => name === expected.verb);
  const { pairs } = verb ?? {};
  if (verb === undefined || pairs === undefined) return NO_ANSWER;
  const options = await memberOptions(expected.given, world.env ?? {});
  const members = resolveMembers(await withNamedServers(options));
  const tls = await tlsOf(options, members, world.keyPassphrase);
  // Leaves time for the answer without the members.
  const timeoutMs = Math.ceil(timeLeft() * 0.8);
  const deadline = AbortSignal.timeout(timeoutMs);
  const how = { ask: world.ask, timeoutMs, ...(tls === undefined ? {} : { tls }) };
  const known = verb.name === 'mntr' ? KNOWN_KEYS.map((value) => ({ value })) : [];
  const names: readonly Candidate[] = await Promise.any(
    members.map(async (address) => {
      const found = pairs(await askAll(verb, address, deadline, how));
      if (found.length === 0) throw new Error('no answer');
      return found.map(([name, value]) => ({ value: name, about: value }));
    }),
  ).catch(() => known);
  return { candidates: fitting(names, expected.text) };
}

/** Only of a call that asks members: other paths are those of files. */
async function completeZnode(expected: ExpectedValue, world: CliWorld): Promise<Answer> {
  if (!expected.options.includes('servers')) return NO_ANSWER;
  const options = await memberOptions(expected.given, world.env ?? {});
  const members = resolveMembers(await withNamedServers(options));
  const tls = await tlsOf(options, members, world.keyPassphrase);
  const { withChildren } = await import('./probes/list-children.js');
  const how = { timeoutMs: Math.ceil(timeLeft()), tls, auth: options.auth };
  return withChildren(members, how, async (listChildren) => {
    const { prefix, choices } = await completePath(expected.text, { cwd: '/', listChildren });
    return {
      candidates: choices.map(({ name }) => ({ value: prefix + name })),
      isOpen: choices.some(({ isOpen }) => isOpen),
    };
  });
}
