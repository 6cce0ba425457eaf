import { test } from 'uvu';
import type { ClientKind } from '../../src/commands/shell-session.js';
import { startBundled } from './bundled.js';
import { oracleTest, startOracle } from './oracle.js';
import { makeServedShell, type ServedShell } from './served-shell.js';

type Run = (shell: ServedShell) => Promise<void>;

/**
 * Registers a test of verbs twice: against the bundled server and against Apache's. Each run has a
 * server, or with Apache's a tree, of its own.
 */
export function serverTest(name: string, run: Run, clientKind: ClientKind = 'builtin'): void {
  const config = { extendedTypesEnabled: 'true' };
  test(`${name} (bundled)`, async () => {
    const server = await startBundled({ config });
    const shell = makeServedShell(server.connectString, clientKind);
    try {
      await run(shell);
    } finally {
      await shell.close();
      await server.close();
    }
  });
  oracleTest(`${name} (Apache)`, async () => {
    const server = await startOracle({ config });
    const shell = makeServedShell(server.connectString, clientKind);
    try {
      await run(shell);
    } finally {
      await shell.close();
      await server.close();
    }
  });
}
