/** Starts on folders from whole ones to ones that a server must refuse. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../../src/protocol/perms.js';
import { ExitCode, ServerError } from '../../../../src/server/main.js';
import { RawClient } from '../../../conformance/support/raw-client.js';
import { type WalkedNode, walkTree } from '../../../conformance/support/walk.js';
import { startBundled } from '../../../support/bundled.js';
import { buildLogHeader } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';

interface Written {
  readonly dataDir: string;
  readonly tree: ReadonlyMap<string, WalkedNode>;
  file(name: string): string;
  /** The names of the files with that prefix, oldest first. */
  names(prefix: 'log.' | 'snapshot.'): string[];
  remove(): void;
}

/** A data directory with several snapshots and logs, and its tree. */
async function writeDataDir(config: Record<string, string> = {}): Promise<Written> {
  const home = makeTempDir('data-dir');
  const dataDir = join(home.path, 'data');
  const file = (name: string) => join(dataDir, 'version-2', name);
  const names = (prefix: string) => {
    const zxidOf = (name: string) => Number.parseInt(name.slice(prefix.length), 16);
    return readdirSync(join(dataDir, 'version-2'))
      .filter((name) => name.startsWith(prefix))
      .sort((a, b) => zxidOf(a) - zxidOf(b));
  };
  const server = await startBundled({ dataDir, config: { snapCount: '10', ...config } });
  const client = await RawClient.connect(server.port);
  for (let i = 0; i < 60; i++) {
    const value = { path: `/n${i}`, data: Buffer.from(`${i}`), acl: OPEN_ACL_UNSAFE, flags: 0 };
    assert.is((await client.call(OpCode.create, value)).err, 0);
    if (i % 20 === 0) await waitFor('a snapshot', () => names('snapshot.').length > i / 20);
  }
  const tree = await walkTree(client);
  await client.drop();
  await server.close();
  return { dataDir, tree, file, names, remove: home.remove };
}

/** Starts on the directory and compares its tree with `expected`. Returns the warnings. */
async function checkRecovers(
  { dataDir, tree }: Written,
  config: Record<string, string> = {},
): Promise<string> {
  const warnings: string[] = [];
  const server = await startBundled({ dataDir, config, onWarning: (text) => warnings.push(text) });
  try {
    const client = await RawClient.connect(server.port);
    const found = await walkTree(client);
    for (const [path, node] of tree) assert.equal(found.get(path), node, path);
    assert.is(found.size, tree.size);
    await client.drop();
  } finally {
    await server.close();
  }
  return warnings.join('\n');
}

async function refusal(dataDir: string, config: Record<string, string> = {}): Promise<ServerError> {
  try {
    const server = await startBundled({ dataDir, config });
    await server.close();
  } catch (error) {
    assert.instance(error, ServerError);
    return error as ServerError;
  }
  throw new Error('it started');
}

test('the newest snapshot and the log after it give the whole tree', async () => {
  const written = await writeDataDir();
  try {
    assert.ok(written.names('snapshot.').length > 2);
    assert.ok(written.names('log.').length > 2);
    assert.is(await checkRecovers(written), '');
    // Older snapshots and logs are not needed.
    const newest = written.names('snapshot.').at(-1) ?? '';
    for (const name of written.names('snapshot.')) if (name !== newest) rmSync(written.file(name));
    assert.is(await checkRecovers(written), '');
  } finally {
    written.remove();
  }
});

test('compressed snapshots are read', async () => {
  const written = await writeDataDir({ 'snapshot.compression.method': 'gz' });
  try {
    assert.ok(written.names('snapshot.').some((name) => name.endsWith('.gz')));
    assert.is(await checkRecovers(written), '');
  } finally {
    written.remove();
  }
});

test('a log that a crash left without a record is removed', async () => {
  const written = await writeDataDir();
  try {
    const zeros = Buffer.alloc(1024 * 1024);
    const leftovers = [
      Buffer.alloc(0),
      buildLogHeader(),
      buildLogHeader().subarray(0, 7),
      zeros,
      Buffer.concat([buildLogHeader(), zeros]),
    ];
    for (const bytes of leftovers) {
      const path = written.file('log.fff');
      writeFileSync(path, bytes);
      await checkRecovers(written);
      assert.not(existsSync(path), `${bytes.length} bytes`);
    }
  } finally {
    written.remove();
  }
});

test('a damaged newest snapshot is skipped with a warning', async () => {
  const written = await writeDataDir();
  try {
    const newest = written.names('snapshot.').at(-1) ?? '';
    const path = written.file(newest);
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    flipped[whole.length >> 1] = (flipped[whole.length >> 1] ?? 0) ^ 1;
    const damages = [
      flipped,
      Buffer.alloc(0),
      whole.subarray(0, whole.length - 30),
      Buffer.alloc(whole.length),
    ];
    for (const bytes of damages) {
      writeFileSync(path, bytes);
      assert.match(await checkRecovers(written), newest);
    }
  } finally {
    written.remove();
  }
});

test('a folder without a valid snapshot is refused with advice, unless the logs are trusted', async () => {
  const written = await writeDataDir();
  try {
    for (const name of written.names('snapshot.')) truncateSync(written.file(name), 40);
    const { code, exitCode, message } = await refusal(written.dataDir);
    assert.is(code, 'EDATA');
    assert.is(exitCode, ExitCode.DATA);
    assert.match(message, written.names('snapshot.').at(-1) ?? '?');
    for (const name of written.names('snapshot.')) rmSync(written.file(name));
    assert.match((await refusal(written.dataDir)).message, 'snapshot.trust.empty=true');
    await checkRecovers(written, { 'snapshot.trust.empty': 'true' });
  } finally {
    written.remove();
  }
});

test('a missing log between two others is refused, never skipped', async () => {
  const written = await writeDataDir();
  try {
    const [first = ''] = written.names('snapshot.');
    for (const name of written.names('snapshot.')) if (name !== first) rmSync(written.file(name));
    const gone = written.names('log.').at(-2) ?? '';
    renameSync(written.file(gone), written.file('kept'));
    const { code, message } = await refusal(written.dataDir);
    assert.is(code, 'EDATA');
    assert.match(message, `(expected 0x${gone.slice(4)})`);
    renameSync(written.file('kept'), written.file(gone));
    await checkRecovers(written);
  } finally {
    written.remove();
  }
});

test('a snapshot that a crash left incomplete is set aside', async () => {
  const written = await writeDataDir();
  try {
    const path = written.file('snapshot.fff.tmp');
    writeFileSync(path, 'ZKSN');
    assert.is(await checkRecovers(written), '');
    assert.not(existsSync(path));
  } finally {
    written.remove();
  }
});

test('logs are in dataLogDir if that is set', async () => {
  const home = makeTempDir('data-log-dir');
  try {
    const written = await writeDataDir({ dataLogDir: join(home.path, 'log') });
    try {
      assert.equal(written.names('log.'), []);
      assert.ok(readdirSync(join(home.path, 'log', 'version-2')).length > 2);
      await checkRecovers(written, { dataLogDir: join(home.path, 'log') });
    } finally {
      written.remove();
    }
  } finally {
    home.remove();
  }
});

test('a dataLogDir that does not exist is refused beside snapshots', async () => {
  const home = makeTempDir('no-log-dir');
  try {
    const written = await writeDataDir({ dataLogDir: join(home.path, 'log') });
    try {
      const dataLogDir = join(home.path, 'lgo');
      const { code, exitCode, message } = await refusal(written.dataDir, { dataLogDir });
      assert.equal([code, exitCode], ['EDATA', ExitCode.DATA]);
      assert.match(message, /lgo\/version-2: does not exist, but \S* has snapshots/);
      assert.not(existsSync(dataLogDir), 'the next start refuses it, too');
      await checkRecovers(written, { dataLogDir: join(home.path, 'log') });
    } finally {
      written.remove();
    }
  } finally {
    home.remove();
  }
});

test('the folder of a running server is refused, and that server continues', async () => {
  const home = makeTempDir('in-use');
  const dataDir = join(home.path, 'data');
  const server = await startBundled({ dataDir });
  try {
    const { code, exitCode, message } = await refusal(dataDir);
    assert.is(code, 'EDATADIRINUSE');
    assert.is(exitCode, ExitCode.DATA_DIR);
    assert.match(message, dataDir);
    const client = await RawClient.connect(server.port);
    assert.is((await client.ping())?.err, 0);
    await client.close();
  } finally {
    await server.close();
    home.remove();
  }
});

test('a refused start leaves the files of the running server unchanged', async () => {
  const home = makeTempDir('in-use');
  const dataDir = join(home.path, 'data');
  const folder = join(dataDir, 'version-2');
  const server = await startBundled({ dataDir });
  try {
    const client = await RawClient.connect(server.port);
    const value = { path: '/a', data: Buffer.from('a'), acl: OPEN_ACL_UNSAFE, flags: 0 };
    assert.is((await client.call(OpCode.create, value)).err, 0);
    // A snapshot that is being written, and a restore that is being adopted.
    for (const name of ['snapshot.7.tmp', 'restored.7.tmp', 'restored.8']) {
      writeFileSync(join(folder, name), 'ZKSN');
    }
    const before = readdirSync(folder).sort();
    assert.is((await refusal(dataDir)).code, 'EDATADIRINUSE');
    assert.equal(readdirSync(folder).sort(), before);
    await client.close();
  } finally {
    await server.close();
    home.remove();
  }
});

test('two servers with the same dataLogDir are refused', async () => {
  const home = makeTempDir('in-use');
  const config = { dataLogDir: join(home.path, 'log') };
  const server = await startBundled({ dataDir: join(home.path, 'a'), config });
  try {
    await startBundled({ dataDir: join(home.path, 'b'), config }).then(
      async (second) => {
        await second.close();
        assert.unreachable('it started');
      },
      (error: ServerError) => {
        assert.is(error.code, 'EDATADIRINUSE');
        assert.match(error.message, config.dataLogDir);
      },
    );
  } finally {
    await server.close();
    home.remove();
  }
});

test('a file in place of the folder gives one clear sentence', async () => {
  const home = makeTempDir('no-folder');
  try {
    const file = join(home.path, 'file');
    writeFileSync(file, '');
    const { code, message } = await refusal(join(file, 'data'));
    assert.is(code, 'EDATADIR');
    assert.match(message, file);
    mkdirSync(join(home.path, 'data'));
    writeFileSync(join(home.path, 'data', 'version-2'), '');
    assert.is((await refusal(join(home.path, 'data'))).code, 'EDATADIR');
    assert.ok(statSync(join(home.path, 'data', 'version-2')).isFile());
  } finally {
    home.remove();
  }
});

test.run();
