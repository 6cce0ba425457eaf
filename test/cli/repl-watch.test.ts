import { test } from 'uvu';
import { runBundledReplSuite } from './repl-bundled.js';
import './repl-watch-suite.js';
import './repl-pager-suite.js';

runBundledReplSuite();

test.run();
