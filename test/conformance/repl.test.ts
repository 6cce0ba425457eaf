import { test } from 'uvu';
import { runReplSuite } from '../cli/repl/world.js';
import { hasOracle, oracleTest, startOracle } from '../support/apache/oracle.js';
import { terminalTest } from '../support/terminal/terminal.js';
import '../cli/repl/session-suite.js';
import '../cli/repl/watch-suite.js';
import '../cli/repl/keys-suite.js';
import '../cli/repl/look-suite.js';
import '../cli/repl/pager-suite.js';
import '../cli/repl/prompt-suite.js';

runReplSuite({
  name: "Apache's server",
  register: hasOracle ? terminalTest : oracleTest,
  start: startOracle,
  isWhole: false,
});

test.run();
