/** Kerberos between bundled and Apache's servers, on the election and quorum ports, both ways. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isServing } from '../support/apache/oracle.js';
import { waitUntilServing } from '../support/apache/oracle-ensemble.js';
import { type Kdc, kdcTest, REALM, startKdc } from '../support/peers/kdc.js';
import { withClient } from '../support/peers/seat-client.js';
import { waitFor } from '../support/wait-for.js';
import { type MixedEnsemble, withMixedEnsemble } from './support/mixed-ensemble.js';
import { ENCTYPES, MODULE } from './support/realm.js';

const MEMBER = 'zkquorum/127.0.0.1';
const CONFIG = {
  'quorum.auth.enableSasl': true,
  'quorum.auth.learnerRequireSasl': true,
  'quorum.auth.serverRequireSasl': true,
  'quorum.auth.kerberos.servicePrincipal': 'zkquorum/_HOST',
};

interface World extends MixedEnsemble {
  readonly kdc: Kdc;
  /** The properties of a member that logs in as `principal`, and accepts as a member. */
  as(principal: string): Promise<Record<string, string>>;
}

async function within(
  config: Record<string, boolean | string>,
  body: (world: World) => Promise<void>,
) {
  const kdc = await startKdc(ENCTYPES[1] ?? '');
  try {
    const files = new Map<string, string>([[MEMBER, await kdc.keytab(MEMBER)]]);
    const section = (name: string, principal: string) => {
      const keys = `useKeyTab=true storeKey=true keyTab="${files.get(principal)}"`;
      return `${name} { ${MODULE} ${keys} principal="${principal}@${REALM}"; };\n`;
    };
    const as = async (principal: string) => {
      if (!files.has(principal)) files.set(principal, await kdc.keytab(principal));
      const jaas = join(kdc.folder, `${principal.replaceAll('/', '-')}.jaas`);
      writeFileSync(jaas, section('QuorumServer', MEMBER) + section('QuorumLearner', principal));
      return {
        'java.security.auth.login.config': jaas,
        'java.security.krb5.conf': kdc.configFile,
      };
    };
    await withMixedEnsemble({ participants: 3, config }, (ensemble) =>
      body({ ...ensemble, kdc, as }),
    );
  } finally {
    await kdc.stop();
  }
}

async function checkWrites({ seats }: MixedEnsemble, sids: readonly number[]): Promise<void> {
  for (const sid of sids) {
    await withClient(seats.of(sid), (client) => client.create(`/by-${sid}`, Buffer.from('x')));
  }
  for (const sid of sids) {
    await withClient(seats.of(sid), async (client) => {
      await client.sync('/');
      assert.is((await client.getChildren('/')).children.length, sids.length + 1);
    });
  }
}

for (const [name, ours] of [
  ['ours follows', [1]],
  ['ours leads', [3]],
  ['two of ours', [1, 3]],
] as const) {
  kdcTest(`${name} beside Apache's servers that all require Kerberos`, () =>
    within(CONFIG, async (world) => {
      const member = await world.as(MEMBER);
      for (const sid of [1, 2, 3]) {
        if (ours.some((own) => own === sid)) await world.startOurs(sid, member);
        else world.startTheirs(sid, member);
      }
      for (const seat of world.seats.all) await waitUntilServing(seat);
      await checkWrites(world, [1, 2, 3]);
      for (const { output } of world.theirs.values()) {
        assert.match(output(), /Successfully completed the authentication using SASL/);
      }
    }),
  );
}

for (const [what, principal] of [
  ['of another host', 'zkquorum/10.1.2.3'],
  ['without a host', 'alice'],
] as const) {
  kdcTest(`both kinds of servers refuse a principal ${what}`, () =>
    within(CONFIG, async (world) => {
      const { seats, warnings } = world;
      const stranger = await world.as(principal);
      const member = await world.as(MEMBER);
      await world.startOurs(1, member);
      world.startTheirs(2, member);
      for (const sid of [1, 2]) await waitUntilServing(seats.of(sid));
      await world.startOurs(3, stranger);
      const reason = `${principal}@${REALM} is not a member (expected service/HOST@REALM`;
      await waitFor('both refusals', () => {
        const said = (warnings.get(1) ?? []).join('\n');
        const theirs = world.theirs.get(2)?.output() ?? '';
        return said.includes(reason) && theirs.includes('is not authorized to connect');
      });
      await waitFor('a reason at the stranger', () =>
        (warnings.get(3) ?? []).some((line) => line.includes(`refuses the user "${principal}@`)),
      );
      await checkWrites(world, [1, 2]);
      assert.not.ok(await isServing(seats.of(3).clientPort));
    }),
  );
}

kdcTest('a member names the KDC that is down, and joins when it is up again', () =>
  within(CONFIG, async (world) => {
    const { seats, warnings } = world;
    const member = await world.as(MEMBER);
    for (const sid of [1, 2]) await world.startOurs(sid, member);
    for (const sid of [1, 2]) await waitUntilServing(seats.of(sid));
    await world.kdc.halt();
    await world.startOurs(3, member);
    await waitFor('the reason', () =>
      (warnings.get(3) ?? []).some((line) => line.includes(`no KDC of ${REALM} answered`)),
    );
    await world.kdc.resume();
    await waitUntilServing(seats.of(3));
    await checkWrites(world, [1, 2, 3]);
  }),
);

test.run();
