import { startServer } from '../../../src/server/main.js';
import { terminalTest } from '../../support/terminal/terminal.js';
import { runReplSuite } from './world.js';

/** Registers the imported suites with the bundled server, those of the terminal, too. */
export function runBundledReplSuite(): void {
  runReplSuite({
    name: 'bundled server',
    register: terminalTest,
    start: () => startServer({ config: { tickTime: '500' } }),
    isWhole: true,
  });
}
