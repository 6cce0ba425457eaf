// The role of the server in the prompt.
import { startProxy } from '../../support/peers/proxy.js';
import { enter, inWorld, serverTest } from './world.js';

const ROLE = '(standalone|leader|follower) rw';
/** With the default configuration. */
const PLAIN = { ZKSH_CONFIG: '/dev/null/none' };

serverTest('the prompt shows the role of the server, also after a reconnect', async () => {
  await inWorld(async ({ again, server }) => {
    const proxy = await startProxy(Number(server.split(':')[1]));
    try {
      const terminal = await again({ target: proxy.connectString, env: PLAIN });
      await terminal.waitForRow(new RegExp(`\\(${ROLE}\\) />$`));
      await terminal.type('get /a');
      proxy.refuse();
      await terminal.waitForRow(/\(disconnected\) \/> get \/a$/);
      await terminal.mark();
      proxy.mend();
      await terminal.waitForRow(new RegExp(`\\(${ROLE}\\) /> get /a$`));
      await enter(terminal, 'bc');
      await terminal.waitForRow(/^Node does not exist: \/abc$/);
      await enter(terminal, 'cd zookeeper');
      await terminal.waitForRow(new RegExp(`\\(${ROLE}\\) /zookeeper>$`));
    } finally {
      await proxy.close();
    }
  });
});
