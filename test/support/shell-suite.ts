import { test } from 'uvu';
import type { ClientKind } from '../../src/commands/zksh/session/shell-session.js';
import { startBundled, startBundledEnsemble } from './bundled.js';
import { oracleTest, startOracle } from './oracle.js';
import { makeServedShell, type ServedShell } from './served-shell.js';

type Run = (shell: ServedShell) => Promise<void>;

const CONFIG = { extendedTypesEnabled: 'true' };

const WORLDS = [
  ['bundled', test, () => startBundled({ config: CONFIG })],
  ['an ensemble of three', test, () => startBundledEnsemble({ config: CONFIG })],
  ['Apache', oracleTest, () => startOracle({ config: CONFIG })],
] as const;

/**
 * Registers a test of verbs for each kind of server: the bundled one, three of it that are one
 * ensemble, and Apache's. Each run has servers of its own.
 */
export function serverTest(name: string, run: Run, clientKind: ClientKind = 'builtin'): void {
  for (const [world, register, start] of WORLDS) {
    register(`${name} (${world})`, async () => {
      const server = await start();
      const shell = makeServedShell(server.connectString, clientKind);
      try {
        await run(shell);
      } finally {
        await shell.close();
        await server.close();
      }
    });
  }
}
