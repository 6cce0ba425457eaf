// conformance: runs against Apache's server, too.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ALIKE, gatherAnswers, SAME, shapeOf } from '../../../conformance/support/admin-answers.js';
import { isOracle39, JETTY_JARS, oracleTest, startOracle } from '../../../support/apache/oracle.js';
import { startBundled } from '../../../support/bundled.js';
import { freePort } from '../../../support/machine/free-port.js';
import { waitFor } from '../../../support/wait-for.js';

// Runs the same session against the AdminServers of Apache's and the bundled server. Only values
// that depend on the process or the time may differ.

oracleTest("the responses match Apache's AdminServer", async () => {
  const adminPort = await freePort();
  const oracle = await startOracle({
    jars: JETTY_JARS,
    // An archive of classes would change the order of methods, and so of the JSON fields.
    options: [],
    config: {
      'admin.enableServer': true,
      'admin.serverPort': adminPort,
      'admin.serverAddress': '127.0.0.1',
    },
  });
  const bundled = await startBundled({
    dataDir: `${oracle.dataDir}-bundled`,
    config: {
      'admin.enableServer': 'true',
      'admin.serverPort': '0',
      'admin.serverAddress': '127.0.0.1',
    },
  });
  try {
    await waitFor("Apache's AdminServer", () => oracle.output().includes('Started AdminServer'));
    const expected = await gatherAnswers(oracle.connectString, adminPort);
    const found = await gatherAnswers(bundled.connectString, bundled.adminPort ?? 0);
    for (const command of SAME) assert.is(found.get(command), expected.get(command), command);
    for (const command of ALIKE) {
      const [own, apache] = [found.get(command) ?? '', expected.get(command) ?? ''];
      assert.is(shapeOf(own), shapeOf(apache), command);
    }
    const pages = await Promise.all(
      [bundled.adminPort, adminPort].map(async (port) => {
        return (await fetch(`http://127.0.0.1:${port}/commands`)).text();
      }),
    );
    const [own = '', apache = ''] = pages;
    const isNew = isOracle39
      ? /\/(load|move_leader|shed_connections|slow_requests)"/
      : /\/(load|move_leader|restore|shed_connections|slow_requests|snapshot)"/;
    const older = own.split('<br/>\n').filter((line) => !isNew.test(line));
    assert.is(older.join('<br/>\n'), apache);
  } finally {
    await bundled.close();
    await oracle.close();
  }
});

test.run();
