import { connect, createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../../../support/machine/free-port.js';
import { waitFor } from '../../../support/wait-for.js';
import { within } from './quorum-port-world.js';

test('the port for observers is open while the core requires it', async () => {
  const observerPort = await freePort();
  const call = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(observerPort, '127.0.0.1');
      socket.on('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
  await within(
    async ({ port, of, call: callServers }) => {
      assert.not(await call());
      port.setObserverPort(true);
      await waitFor('the port for observers', call);
      await waitFor('a link', () => of('link-opened').length > 0);
      assert.ok(of('link-opened').every(({ isObserverPort }) => isObserverPort === true));
      const before = of('link-opened').length;
      callServers();
      await waitFor('another', () => of('link-opened').length > before);
      assert.is(of('link-opened').at(-1)?.isObserverPort, undefined);
      port.setObserverPort(false);
      await waitFor('it to end', async () => !(await call()));
      port.setObserverPort(true);
      await waitFor('the port again', call);
    },
    { observerPort },
  );
});

test('if the port for observers is taken, the others are still served', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const observerPort = typeof address === 'object' ? (address?.port ?? 0) : 0;
  try {
    await within(
      async ({ port, warnings, of, call }) => {
        port.setObserverPort(true);
        await waitFor('a warning', () => warnings.length > 0);
        assert.match(
          warnings[0] ?? '',
          new RegExp(`127.0.0.1:${observerPort}: cannot listen for observers`),
        );
        call();
        await waitFor('a link', () => of('link-opened').length === 1);
      },
      { observerPort },
    );
  } finally {
    other.close();
  }
});

test.run();
