import { test } from 'uvu';
import { hasOracle, startOracle } from '../support/oracle.js';
import { terminalTest } from '../support/terminal.js';
import { runReplSuite } from './repl-world.js';
import './repl-suite.js';
import './repl-watch-suite.js';
import './repl-keys-suite.js';
import './repl-look-suite.js';
import './repl-pager-suite.js';
import './repl-prompt-suite.js';

runReplSuite({
  name: "Apache's server",
  register: hasOracle ? terminalTest : test.skip,
  start: startOracle,
  isWhole: false,
});

test.run();
