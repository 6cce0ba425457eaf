import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../src/client/index.js';
import { oracleTest } from '../../support/apache/oracle.js';
import { type Seat, waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { SteadyWriters } from '../../support/peers/steady-writers.js';
import { makeTlsFiles, type TlsFiles } from '../../support/tls/tls-world.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { checkReplaced, replaceAll } from '../support/replace-all.js';

// The migration of ensemble-migration.test.ts with TLS and SASL on the client, quorum, and election
// ports.

const WRITERS = 3;
const AUTH = 'org.apache.zookeeper.server.auth';
const MODULE = `${AUTH}.DigestLoginModule required`;
/** Apache's server has it by itself only with a secureClientPort. */
const X509 = { 'zookeeper.authProvider.x509': `${AUTH}.X509AuthenticationProvider` };
const JAAS = `
Server {
  ${MODULE} user_bob="bobsecret";
};
QuorumServer {
  ${MODULE} user_zk="secret";
};
QuorumLearner {
  ${MODULE} username="zk" password="secret";
};
`;

function storesOf(prefix: 'ssl' | 'ssl.quorum', files: TlsFiles): Record<string, string> {
  return {
    [`${prefix}.keyStore.location`]: files.serverFile,
    [`${prefix}.keyStore.type`]: 'PEM',
    [`${prefix}.trustStore.location`]: files.caFile,
    [`${prefix}.trustStore.type`]: 'PEM',
  };
}

function configOf(files: TlsFiles): Record<string, string | number | boolean> {
  return {
    maxSessionTimeout: 60_000,
    snapCount: 2000,
    sslQuorum: true,
    ...storesOf('ssl.quorum', files),
    ...storesOf('ssl', files),
    // For the words of the test, which use no TLS. Apache's server needs Netty for TLS.
    'client.portUnification': true,
    serverCnxnFactory: 'org.apache.zookeeper.server.NettyServerCnxnFactory',
    'quorum.auth.enableSasl': true,
    'quorum.auth.learnerRequireSasl': true,
    'quorum.auth.serverRequireSasl': true,
    'authProvider.1': `${AUTH}.SASLAuthenticationProvider`,
  };
}

function loginOf({ authority, client }: TlsFiles) {
  return {
    tls: { ca: authority.cert, cert: client.cert, key: client.key },
    sasl: { user: 'bob', password: 'bobsecret' },
  };
}

/** This server knows the client by its certificate and by its password. */
async function checkKnown(seat: Seat, files: TlsFiles): Promise<void> {
  const client = createClient({ connectString: seat.connectString, ...loginOf(files) });
  try {
    await client.connect();
    const known = (await client.whoAmI()).map(({ authScheme, user }) => `${authScheme} ${user}`);
    for (const id of ['sasl bob', 'x509 CN=client,O=Test'])
      assert.ok(known.includes(id), `${known}`);
  } finally {
    await client.close();
  }
}

oracleTest(
  "Apache's servers are replaced and back again, with TLS and SASL on every port",
  async () => {
    const files = makeTlsFiles();
    const login = { 'java.security.auth.login.config': files.write('jaas.conf', JAAS) };
    try {
      await withMixedEnsemble({ participants: 3, config: configOf(files) }, async (ensemble) => {
        const { seats } = ensemble;
        const startTheirs = (sid: number) => ensemble.startTheirs(sid, { ...login, ...X509 });
        const startOurs = (sid: number) => ensemble.startApart(sid, login);
        for (const { sid } of seats.all) startTheirs(sid);
        for (const seat of seats.all) await waitUntilServing(seat);
        const connectString = seats.all.map((seat) => seat.connectString).join();
        const writers = await SteadyWriters.start(connectString, WRITERS, loginOf(files));
        try {
          await writers.goOn();
          await replaceAll(ensemble, [1, 2, 3], startOurs, writers);
          assert.is(ensemble.theirs.size, 0);
          for (const seat of seats.all) await checkKnown(seat, files);
          await replaceAll(ensemble, [3, 1, 2], startTheirs, writers);
          assert.is(ensemble.apart.size, 0);
          for (const seat of seats.all) await checkKnown(seat, files);
          await writers.pause();
          await writers.checkKeptAt(seats.all);
          await checkReplaced(ensemble);
        } finally {
          await writers.close();
        }
      });
    } finally {
      files.remove();
    }
  },
);

test.run();
