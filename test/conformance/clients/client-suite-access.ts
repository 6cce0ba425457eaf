import * as assert from 'uvu/assert';
import type { ACL } from '../../../src/protocol/data.js';
import { CREATOR_ALL_ACL, OPEN_ACL_UNSAFE, Perms } from '../../../src/protocol/perms.js';
import { createText, expectError, type Suite, waitForState } from './client-suite-world.js';

/** Permissions: ACLs and identities. */
export function registerAccessTests({ check, checkUnlessNative, isNative }: Suite): void {
  checkUnlessNative('a new znode is open to the world', async ({ zk, root }) => {
    const { acl, stat } = await zk.getACL(root);
    assert.equal(acl, OPEN_ACL_UNSAFE);
    assert.is(stat.aversion, 0);
  });

  check('an ACL is changed with its version, and excludes other clients', async (world) => {
    const { zk, root, connect } = world;
    await createText(zk, `${root}/mine`, 'secret');
    await zk.addAuth('digest', 'alice:pw');
    const stat = await zk.setACL(`${root}/mine`, CREATOR_ALL_ACL, 0);
    assert.is(stat.aversion, 1);
    await expectError('BADVERSION', zk.setACL(`${root}/mine`, OPEN_ACL_UNSAFE, 0));
    const stranger = await connect();
    const refused = await expectError('NOAUTH', stranger.zk.getData(`${root}/mine`));
    assert.is(refused.path, `${root}/mine`);
    await expectError('NOAUTH', stranger.zk.setData(`${root}/mine`, Buffer.alloc(0)));
    await expectError('NOAUTH', stranger.zk.setACL(`${root}/mine`, OPEN_ACL_UNSAFE));
    await stranger.zk.addAuth('digest', Buffer.from('alice:pw'));
    assert.is((await stranger.zk.getData(`${root}/mine`)).data?.toString(), 'secret');
    if (isNative) return;
    const { acl } = await zk.getACL(`${root}/mine`);
    assert.is(acl[0]?.id.scheme, 'digest');
    assert.match(acl[0]?.id.id ?? '', /^alice:/);
  });

  check('an invalid ACL is refused', async ({ zk, root }) => {
    const wrong: readonly (readonly ACL[])[] = [
      [],
      [{ perms: Perms.ALL, id: { scheme: 'nonsense', id: 'x' } }],
      [{ perms: Perms.ALL, id: { scheme: 'world', id: 'someone' } }],
      CREATOR_ALL_ACL,
    ];
    for (const acl of wrong) await expectError('INVALIDACL', zk.setACL(root, acl));
  });

  checkUnlessNative('a znode is created with its own ACL', async ({ zk, root, connect }) => {
    const acl: readonly ACL[] = [{ perms: Perms.READ, id: { scheme: 'world', id: 'anyone' } }];
    await zk.create(`${root}/ro`, Buffer.from('x'), { acl });
    await expectError('NOAUTH', zk.setData(`${root}/ro`, Buffer.alloc(0)));
    const { zk: other } = await connect();
    assert.is((await other.getData(`${root}/ro`)).data?.toString(), 'x');
    assert.equal((await other.getACL(`${root}/ro`)).acl, acl);
  });

  checkUnlessNative('whoAmI lists the identities', async ({ zk }) => {
    assert.equal(await zk.whoAmI(), [{ authScheme: 'ip', user: '127.0.0.1' }]);
    await zk.addAuth('digest', 'bob:pw');
    // The server has a set, whose order is arbitrary.
    const shown = (await zk.whoAmI()).map(({ authScheme, user }) => `${authScheme}:${user}`);
    assert.equal(shown.sort(), ['digest:bob', 'ip:127.0.0.1']);
  });

  check('a scheme that the server does not have ends the session', async ({ connect, root }) => {
    const client = await connect();
    await expectError('AUTHFAILED', client.zk.addAuth('nonsense', 'x'));
    await waitForState(client, 'auth-failed');
    await expectError('AUTHFAILED', client.zk.getData(root));
  });
}
