import { chmodSync, chownSync, closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Access, NODE_FILES } from '../../../../src/server/node/storage/file-system.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

/** Root acts as a user that it makes up. Another user tests what it may do itself. */
const isRoot = process.geteuid?.() === 0;
const OWN = isRoot ? 54_321 : (process.geteuid?.() ?? 0);
const OWN_GROUP = isRoot ? 54_321 : (process.getegid?.() ?? 0);
const OTHER_GROUP_OF_OWN = 54_322;
const FOREIGN = 54_329;

/** Runs the body as a user with two groups. */
async function asUser(body: () => Promise<void>): Promise<void> {
  if (!isRoot) return body();
  const groups = process.getgroups?.() ?? [];
  const gid = process.getegid?.() ?? 0;
  process.setgroups?.([OWN_GROUP, OTHER_GROUP_OF_OWN]);
  process.setegid?.(OWN_GROUP);
  process.seteuid?.(OWN);
  try {
    await body();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(gid);
    process.setgroups?.(groups);
  }
}

interface Case {
  readonly what: string;
  readonly wanted: Access;
  readonly given: Access;
  readonly isUser: boolean;
}

const MODE = 0o654;
/** The group gets no more than everyone. */
const WITHOUT_GROUP = 0o644;
const own = { uid: OWN, gid: OWN_GROUP };
const CASES: readonly Case[] = [
  {
    what: 'root gives a file to anyone',
    wanted: { mode: MODE, uid: FOREIGN, gid: FOREIGN },
    given: { mode: MODE, uid: FOREIGN, gid: FOREIGN },
    isUser: false,
  },
  {
    what: 'root gives a file to another user of its group',
    wanted: { mode: MODE, uid: FOREIGN, gid: OWN_GROUP },
    given: { mode: MODE, uid: FOREIGN, gid: OWN_GROUP },
    isUser: false,
  },
  {
    what: 'root gives a file to another group of its user',
    wanted: { mode: MODE, uid: OWN, gid: FOREIGN },
    given: { mode: MODE, uid: OWN, gid: FOREIGN },
    isUser: false,
  },
  {
    what: 'a user keeps its own file',
    wanted: { mode: MODE, ...own },
    given: { mode: MODE, ...own },
    isUser: true,
  },
  {
    what: 'a user cannot give a file away, and its group stays',
    wanted: { mode: MODE, uid: FOREIGN, gid: OWN_GROUP },
    given: { mode: MODE, ...own },
    isUser: true,
  },
  {
    what: 'a user can give a file to a group of its own',
    wanted: { mode: MODE, uid: OWN, gid: OTHER_GROUP_OF_OWN },
    given: { mode: MODE, uid: OWN, gid: OTHER_GROUP_OF_OWN },
    isUser: true,
  },
  {
    what: 'a user cannot give a file away, but to a group of its own',
    wanted: { mode: MODE, uid: FOREIGN, gid: OTHER_GROUP_OF_OWN },
    given: { mode: MODE, uid: OWN, gid: OTHER_GROUP_OF_OWN },
    isUser: true,
  },
  {
    what: 'a group gets no more than everyone if it is another one than that of the old file',
    wanted: { mode: MODE, uid: OWN, gid: FOREIGN },
    given: { mode: WITHOUT_GROUP, ...own },
    isUser: true,
  },
  {
    what: 'of everyone’s rights, a group gets only those that it had',
    wanted: { mode: 0o617, uid: FOREIGN, gid: FOREIGN },
    given: { mode: 0o617, ...own },
    isUser: true,
  },
];

const possible = CASES.filter(
  ({ isUser, wanted }) => isRoot || (isUser && wanted.gid !== OTHER_GROUP_OF_OWN),
);
for (const { what, wanted, given, isUser } of possible) {
  test(what, async () => {
    const { path: folder, remove } = makeTempDir('access');
    const path = join(folder, 'file');
    try {
      closeSync(openSync(path, 'w'));
      chmodSync(path, 0o600);
      chmodSync(folder, 0o755);
      chownSync(path, OWN, OWN_GROUP);
      const set = async (): Promise<void> => {
        const file = await NODE_FILES.open(path, 'change');
        await file.setAccess(wanted);
        await file.close();
      };
      await (isUser ? asUser(set) : set());
      const { mode, uid, gid } = statSync(path);
      assert.equal(
        { mode: (mode & 0o777).toString(8), uid, gid },
        {
          ...given,
          mode: given.mode.toString(8),
        },
      );
    } finally {
      remove();
    }
  });
}

test.run();
