import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isServing, oracleTest } from '../../support/apache/oracle.js';
import { waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { withClient } from '../../support/peers/seat-client.js';
import { waitFor } from '../../support/wait-for.js';
import { type MixedEnsemble, withMixedEnsemble } from '../support/mixed-ensemble.js';

// SASL between bundled and Apache's servers, on the election and quorum ports, in both directions.

const MODULE = 'org.apache.zookeeper.server.auth.DigestLoginModule';
const REQUIRED = {
  'quorum.auth.enableSasl': true,
  'quorum.auth.learnerRequireSasl': true,
  'quorum.auth.serverRequireSasl': true,
};

function jaasOf(password: string): string {
  return `
QuorumServer {
  ${MODULE} required
  user_zk="${password}";
};
QuorumLearner {
  ${MODULE} required
  username="zk"
  password="${password}";
};
`;
}

interface Files {
  readonly right: string;
  readonly wrong: string;
}

async function within(
  config: Readonly<Record<string, boolean>>,
  body: (ensemble: MixedEnsemble, files: Files) => Promise<void>,
): Promise<void> {
  const home = makeTempDir('quorum-auth');
  const files = { right: join(home.path, 'right.conf'), wrong: join(home.path, 'wrong.conf') };
  writeFileSync(files.right, jaasOf('secret'));
  writeFileSync(files.wrong, jaasOf('guess'));
  try {
    await withMixedEnsemble({ participants: 3, config }, (ensemble) => body(ensemble, files));
  } finally {
    home.remove();
  }
}

const login = (file: string) => ({ 'java.security.auth.login.config': file });

async function checkWrites({ seats }: MixedEnsemble, sids: readonly number[]): Promise<void> {
  for (const sid of sids) {
    await withClient(seats.of(sid), (client) => client.create(`/by-${sid}`, Buffer.from('x')));
  }
  for (const sid of sids) {
    await withClient(seats.of(sid), async (client) => {
      await client.sync('/');
      for (const other of sids) {
        assert.is(`${(await client.getData(`/by-${other}`)).data}`, 'x');
      }
    });
  }
}

for (const [name, ours] of [
  ['ours follows', 1],
  ['ours leads', 3],
] as const) {
  oracleTest(`${name} two of Apache's servers that all require SASL`, () =>
    within(REQUIRED, async (ensemble, { right }) => {
      for (const sid of [1, 2, 3]) {
        if (sid === ours) await ensemble.startOurs(sid, login(right));
        else ensemble.startTheirs(sid, login(right));
      }
      for (const seat of ensemble.seats.all) await waitUntilServing(seat);
      await checkWrites(ensemble, [1, 2, 3]);
      // Each Apache server accepted ours, or was accepted by it.
      for (const member of ensemble.theirs.values()) {
        assert.match(member.output(), /Successfully completed the authentication using SASL/);
      }
    }),
  );
}

oracleTest('a bundled server with optional SASL accepts servers with and without it', () =>
  within({}, async (ensemble, { right }) => {
    // Apache's do not use SASL. Ours can, and does not require it.
    const optional = { ...login(right), 'quorum.auth.enableSasl': 'true' };
    await ensemble.startOurs(2, optional);
    ensemble.startTheirs(1);
    ensemble.startTheirs(3);
    for (const seat of ensemble.seats.all) await waitUntilServing(seat);
    await checkWrites(ensemble, [1, 2, 3]);
  }),
);

oracleTest(
  "a bundled server that does not authenticate is accepted by Apache's with optional SASL, and checks them",
  () =>
    within({ ...REQUIRED, 'quorum.auth.serverRequireSasl': false }, async (ensemble, { right }) => {
      const silent = { ...login(right), 'quorum.auth.learnerRequireSasl': 'false' };
      await ensemble.startOurs(2, silent);
      for (const sid of [1, 3]) ensemble.startTheirs(sid, login(right));
      for (const seat of ensemble.seats.all) await waitUntilServing(seat);
      await checkWrites(ensemble, [1, 2, 3]);
      // Server 3 is the only one that keeps its own connection to server 2.
      const success = /completed the authentication using SASL\. server addr: /;
      assert.match(ensemble.theirs.get(3)?.output() ?? '', success);
    }),
);

oracleTest("Apache's servers refuse a bundled server with a wrong password, and still serve", () =>
  within(REQUIRED, async (ensemble, { right, wrong }) => {
    const { seats, warnings } = ensemble;
    for (const sid of [1, 3]) ensemble.startTheirs(sid, login(right));
    await ensemble.startOurs(2, login(wrong));
    for (const sid of [1, 3]) await waitUntilServing(seats.of(sid));
    const said = () => (warnings.get(2) ?? []).join('\n');
    await waitFor('a log line of each side', () =>
      Promise.resolve(
        /authentication with 127\.0\.0\.1:\d+ failed: it refuses the user "zk"/.test(said()) &&
          /authentication of 127\.0\.0\.1 as a server failed: wrong password/.test(said()),
      ),
    );
    await checkWrites(ensemble, [1, 3]);
    assert.not.ok(await isServing(seats.of(2).clientPort));
  }),
);

oracleTest('bundled servers refuse an Apache server without SASL, and still serve', () =>
  within({}, async (ensemble, { right }) => {
    const { seats, warnings } = ensemble;
    const required = {
      ...login(right),
      ...Object.fromEntries(Object.keys(REQUIRED).map((key) => [key, 'true'])),
    };
    for (const sid of [1, 2]) await ensemble.startOurs(sid, required);
    ensemble.startTheirs(3);
    for (const sid of [1, 2]) await waitUntilServing(seats.of(sid));
    const said = () => (warnings.get(1) ?? []).join('\n');
    await waitFor('a sentence', () => Promise.resolve(/as a server failed/.test(said())));
    await checkWrites(ensemble, [1, 2]);
    assert.not.ok(await isServing(seats.of(3).clientPort));
  }),
);

test.run();
