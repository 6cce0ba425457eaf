#!/usr/bin/env node
// A member of an ensemble in a StatefulSet. `start` runs the server, and joins a serving ensemble that
// does not have this member yet. `leave`, a preStop hook, removes the member from the ensemble if the
// set has shrunk below it; a restart keeps its vote.
//
// POD_NAME         zk-3: the ordinal is 3, and the id of the server 4
// SERVER_TEMPLATE  the line of a server: zk-{ordinal}.zk-headless.NS.svc.cluster.local:2888:3888;2181
// INITIAL_SIZE     the members that make the ensemble when it is new
// CLIENTS          a connect string that reaches any serving member
// SUPER_PASSWORD   of the superuser "super", who may reconfigure
// STATEFULSET      the API path of the set, for `leave`
// The settings of the server are those of zk-entrypoint: ZOO_TICK_TIME, ZOO_CFG_EXTRA, and so on.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const { env } = process;
const RETRY_MS = Number(env.RETRY_MS ?? 1000);
const LEAVE_MS = Number(env.LEAVE_SECONDS ?? 60) * 1000;
const TOKEN_FILE = env.TOKEN_FILE ?? '/var/run/secrets/kubernetes.io/serviceaccount/token';
const API = env.KUBERNETES_API ?? 'https://kubernetes.default.svc';

const confDir = env.ZOO_CONF_DIR ?? '/data/conf';
const ordinal = ordinalOf(required('POD_NAME'));
const id = ordinal + 1;

function required(name) {
  const value = env[name];
  if (value) return value;
  say(`${name}: not set`);
  process.exit(2);
}

function ordinalOf(podName) {
  const [, digits] = /-(\d+)$/.exec(podName) ?? [];
  if (digits !== undefined) return Number(digits);
  say(`POD_NAME: expected a name such as zk-0, found "${podName}"`);
  process.exit(2);
}

function say(line) {
  process.stderr.write(`member: ${line}\n`);
}

function lineOf(number) {
  return required('SERVER_TEMPLATE').replaceAll('{ordinal}', String(number));
}

/** Runs one command of zksh as the superuser; rejects with its error line. */
async function zksh(command) {
  const args = ['--timeout', '5000', required('CLIENTS'), '-c', command];
  const options = { env: { ...env, ZKSH_AUTH: `super:${required('SUPER_PASSWORD')}` } };
  try {
    return (await run('zksh', args, options)).stdout;
  } catch (error) {
    throw new Error(
      String(error.stderr || error.message)
        .trim()
        .split('\n')
        .at(-1),
    );
  }
}

/** The server lines of the serving ensemble, by id; undefined while nobody serves. */
async function livingServers() {
  const text = await zksh('config').catch((error) => {
    say(`no answer from ${env.CLIENTS}: ${error.message}`);
    return '';
  });
  const lines = [...text.matchAll(/^server\.(\d+)=(.+)$/gm)];
  return lines.length === 0
    ? undefined
    : new Map(lines.map(([, sid, line]) => [Number(sid), line]));
}

/** The membership lines of the zoo.cfg of the last run, which a reconfig keeps current. */
function ownLines() {
  const file = join(confDir, 'zoo.cfg');
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').match(/^(server\.\d+|dynamicConfigFile)=.+$/gm);
  return lines ?? undefined;
}

/** The membership to start with; waits if only the serving ensemble can tell. */
async function membership() {
  const initialSize = Number(env.INITIAL_SIZE ?? 3);
  for (;;) {
    const living = await livingServers();
    const own = ownLines();
    if (living !== undefined && !living.has(id)) {
      // A joining server lists the ensemble and itself; it has no vote before the reconfig.
      const lines = [...living].map(([sid, line]) => `server.${sid}=${line}`);
      return [...lines, `server.${id}=${lineOf(ordinal)}`];
    }
    if (own !== undefined) return own;
    if (living !== undefined) return [...living].map(([sid, line]) => `server.${sid}=${line}`);
    if (ordinal < initialSize) {
      return Array.from({ length: initialSize }, (_, at) => `server.${at + 1}=${lineOf(at)}`);
    }
    say(`server ${id} is not of the first ${initialSize}: waiting for the ensemble`);
    await delay(RETRY_MS);
  }
}

/** Adds this member to the ensemble, once it has synced. */
async function joinEnsemble(isOver) {
  while (!isOver()) {
    const living = await livingServers();
    if (living?.has(id)) return say(`server ${id} is a member`);
    if (living !== undefined) {
      await zksh(`reconfig --add '${id}=${lineOf(ordinal)}'`).catch((error) =>
        say(`cannot join yet: ${error.message}`),
      );
    }
    await delay(RETRY_MS);
  }
}

async function start() {
  const password = required('SUPER_PASSWORD');
  const lines = await membership();
  mkdirSync(confDir, { recursive: true });
  // The settings of the pod apply at each start; only the membership is kept.
  rmSync(join(confDir, 'zoo.cfg'), { force: true });
  const digest = createHash('sha1').update(`super:${password}`).digest('base64');
  const extra = [
    'reconfigEnabled=true',
    `DigestAuthenticationProvider.superDigest=super:${digest}`,
    env.ZOO_CFG_EXTRA ?? '',
  ];
  const server = spawn(env.ENTRYPOINT ?? 'zk-entrypoint', ['zkserver', 'start-foreground'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...env,
      ZOO_CONF_DIR: confDir,
      ZOO_MY_ID: String(id),
      ZOO_STANDALONE_ENABLED: 'false',
      ZOO_SERVERS: lines.join(' '),
      ZOO_CFG_EXTRA: extra.join(' '),
    },
  });
  let isOver = false;
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => server.kill(signal));
  server.once('error', (error) => {
    say(error.message);
    process.exit(1);
  });
  server.once('exit', (code, signal) => {
    isOver = true;
    process.exit(code ?? (signal === null ? 1 : 128));
  });
  await joinEnsemble(() => isOver);
}

/** The replicas that the set should have; undefined if it is gone or the API does not answer. */
async function wantedReplicas() {
  try {
    const token = readFileSync(TOKEN_FILE, 'utf8').trim();
    const response = await fetch(`${API}${required('STATEFULSET')}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const { metadata, spec } = await response.json();
    return metadata?.deletionTimestamp === undefined ? spec?.replicas : undefined;
  } catch (error) {
    say(`cannot ask for the size of the set: ${error.message}`);
    return undefined;
  }
}

async function leave() {
  const replicas = await wantedReplicas();
  // A set of 0 is a pause: its members keep their votes and come back.
  if (replicas === undefined || replicas === 0 || ordinal < replicas) {
    return say(`server ${id} stays a member (${replicas ?? 'unknown'} replicas)`);
  }
  const until = performance.now() + LEAVE_MS;
  while (performance.now() < until) {
    const living = await livingServers();
    if (living !== undefined && !living.has(id)) return say(`server ${id} has left`);
    await zksh(`reconfig --remove ${id}`).catch((error) =>
      say(`cannot leave yet: ${error.message}`),
    );
    await delay(RETRY_MS);
  }
  say(`server ${id} could not leave: run "reconfig --remove ${id}" in zksh`);
  process.exit(1);
}

const task = { start, leave }[process.argv[2] ?? ''];
if (task === undefined) {
  say('expected start or leave');
  process.exit(2);
}
await task();
