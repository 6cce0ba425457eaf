import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startEnsemble } from '../../../src/server/main.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { runZkops } from '../../support/terminal/run-zkops.js';

const AUTH = 'org.apache.zookeeper.server.auth';

test('--discover logs in if the servers refuse the word conf and require a login', async () => {
  const home = makeTempDir('discover');
  const [jaas, sasl] = ['jaas.conf', 'sasl'].map((name) => join(home.path, name)) as [
    string,
    string,
  ];
  writeFileSync(jaas, `Server { ${AUTH}.DigestLoginModule required user_bob="secret"; };`);
  writeFileSync(sasl, 'bob:secret\n', { mode: 0o600 });
  const ensemble = await startEnsemble({
    size: 3,
    config: {
      '4lw.commands.whitelist': 'srvr',
      'admin.enableServer': 'false',
      'java.security.auth.login.config': jaas,
      'zookeeper.authProvider.1': `${AUTH}.SASLAuthenticationProvider`,
      'zookeeper.sessionRequireClientSASLAuth': 'true',
    },
  });
  try {
    const [first] = ensemble.members;
    const args = ['srvr', '--servers', `${first?.connectString}`, '--discover'];
    const refused = await runZkops(args);
    assert.match(refused.error, /--discover: no member reports .*\n.*failed to authenticate/);
    const { result, error } = await runZkops([...args, '--sasl-file', sasl]);
    assert.is(result?.members.length, 3, error);
  } finally {
    await ensemble.close();
    home.remove();
  }
});

test.run();
