import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ByteBuilder, buildEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import {
  ACCESS_KEY,
  type S3Server,
  SECRET_KEY,
  startS3,
} from '../../../support/peers/s3-server.js';
import { callTask, type TaskOptions } from '../call-task.js';
import { makeSnapshot } from '../files/make-snapshot.js';

export const VALUE = 'the-secret-value';
export const TARGET = 's3://bucket/zk/one';

/** setData of /app. */
export function entry(zxid: bigint, text = VALUE): Buffer {
  const body = new ByteBuilder().string('/app').buffer(Buffer.from(text)).int(Number(zxid)).build();
  return buildEntry({ zxid, type: 5, body, time: 1_769_860_800_000n + zxid });
}

export const entries = (from: number, to: number, text?: string) =>
  Array.from({ length: to - from + 1 }, (_, at) => entry(BigInt(from + at), text));

export interface S3World {
  readonly s3: S3Server;
  readonly home: string;
  readonly member: string;
  readonly put: (name: string, bytes: Buffer) => void;
  readonly remove: (name: string) => void;
  /** With the spool folder `spool`, unless the arguments name another. */
  readonly run: (...args: readonly string[]) => ReturnType<typeof callTask>;
  readonly call: (
    verb: string,
    args: readonly string[],
    options?: TaskOptions,
  ) => ReturnType<typeof callTask>;
}

const NAMES = [
  'TMPDIR',
  'AWS_ENDPOINT_URL_S3',
  'AWS_ENDPOINT_URL',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
] as const;

/** Replaces these variables in this process while `use` runs. */
export async function withAws(
  values: Readonly<Partial<Record<(typeof NAMES)[number], string>>>,
  use: () => Promise<void>,
): Promise<void> {
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  for (const name of NAMES) set(name, values[name]);
  try {
    await use();
  } finally {
    for (const [name, value] of before) set(name, value);
  }
}

export function credentials(s3: S3Server) {
  return {
    AWS_ENDPOINT_URL_S3: s3.url,
    AWS_ACCESS_KEY_ID: ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: SECRET_KEY,
  };
}

/** A member with one snapshot, and an empty store. */
export async function withS3(use: (world: S3World) => Promise<void>): Promise<void> {
  const s3 = await startS3();
  const home = makeTempDir('s3');
  const member = join(home.path, 'data');
  const file = (name: string) => join(member, 'version-2', name);
  mkdirSync(join(member, 'version-2'), { recursive: true });
  const nodes = ['', '/zookeeper', '/zookeeper/quota', '/app'].map((path) => ({ path }));
  writeFileSync(file('snapshot.0'), makeSnapshot({ nodes }));
  const call: S3World['call'] = (verb, args, options) =>
    callTask(['backup', verb, ...args], options);
  const run: S3World['run'] = (...args) => {
    const spool = args.includes('--spool') ? [] : ['--spool', join(home.path, 'spool')];
    return call('run', [member, '--to', TARGET, '--once', ...spool, ...args]);
  };
  try {
    await withAws({ ...credentials(s3), TMPDIR: home.path }, () =>
      use({
        s3,
        home: home.path,
        member,
        put: (name, bytes) => writeFileSync(file(name), bytes),
        remove: (name) => rmSync(file(name)),
        run,
        call,
      }),
    );
  } finally {
    await s3.close();
    home.remove();
  }
}
