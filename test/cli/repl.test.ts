import { test } from 'uvu';
import { startServer } from '../../src/server/main.js';
import { terminalTest } from '../support/terminal.js';
import { runReplSuite } from './repl-world.js';
import './repl-suite.js';
import './repl-watch-suite.js';
import './repl-keys-suite.js';
import './repl-look-suite.js';
import './repl-prompt-suite.js';
import './repl-pager-suite.js';

runReplSuite({
  name: 'bundled server',
  register: terminalTest,
  start: () => startServer({ config: { tickTime: '500' } }),
  isWhole: true,
});

test.run();
