import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { placeOf } from '../../../src/commands/ensemble/member-address.js';
import { resolveMembers } from '../../../src/commands/ensemble/members.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';

// Three servers on one machine, as Apache's getting-started guide has them: each zoo.cfg has its
// own clientPort, and the server lines have none.

const SERVERS = ['127.0.0.1:2888:3888', '127.0.0.1:2889:3889', '127.0.0.1:2890:3890:observer'];

interface Layout {
  /** The file of each server, below the folder. */
  readonly files: readonly string[];
  readonly hasIds?: boolean;
}

function membersOf({ files, hasIds = false }: Layout, asked = 0): string[] {
  const folder = makeTempDir('zoo-cfg');
  try {
    const paths = files.map((file) => join(folder.path, file));
    for (const [index, path] of paths.entries()) {
      // The first file is of the last server.
      const id = files.length - index;
      const dataDir = join(folder.path, `data${id}`);
      mkdirSync(dirname(path), { recursive: true });
      mkdirSync(dataDir);
      if (hasIds) writeFileSync(join(dataDir, 'myid'), `${id}\n`);
      const servers = SERVERS.map((server, at) => `server.${at + 1}=${server}\n`).join('');
      writeFileSync(path, `dataDir=${dataDir}\nclientPort=218${id}\n${servers}`);
    }
    writeFileSync(join(folder.path, 'other.cfg'), 'clientPort=9999\nserver.1=127.0.0.1:1:2\n');
    return resolveMembers({ config: paths[asked] ?? '' }).map(
      (member) => `${placeOf(member)}${member.isObserver === true ? ' observer' : ''}`,
    );
  } finally {
    folder.remove();
  }
}

const FOUND = ['127.0.0.1:2181', '127.0.0.1:2182', '127.0.0.1:2183 observer'];

for (const [title, files] of [
  ['beside each other', ['zoo1.cfg', 'zoo2.cfg', 'zoo3.cfg']],
  ['in a folder each', ['zk1/zoo.cfg', 'zk2/zoo.cfg', 'zk3/zoo.cfg']],
  ['in the conf folder of each', ['zk1/conf/zoo.cfg', 'zk2/conf/zoo.cfg', 'zk3/conf/zoo.cfg']],
] as const) {
  test(`the client ports of one machine come from files ${title}`, () => {
    assert.equal(membersOf({ files, hasIds: true }), FOUND);
    assert.equal(membersOf({ files, hasIds: true }, 1), FOUND);
  });
}

test('without a myid, each file still gives its port', () => {
  const members = membersOf({ files: ['zoo1.cfg', 'zoo2.cfg', 'zoo3.cfg'] });
  assert.equal(members, ['127.0.0.1:2183', '127.0.0.1:2182', '127.0.0.1:2181 observer']);
});

test('a file whose siblings are elsewhere is refused, with what to do', () => {
  assert.throws(
    () => membersOf({ files: ['zoo1.cfg'] }),
    ({ message, hint }: { message: string; hint?: string }) =>
      message.endsWith('several servers share the client address 127.0.0.1:2181') &&
      hint?.startsWith('add ;PORT to each server line') === true,
  );
});

test.run();
