import { test } from 'uvu';
import { runBundledReplSuite } from './repl-bundled.js';
import './repl-suite.js';
import './repl-look-suite.js';
import './repl-prompt-suite.js';

runBundledReplSuite();

test.run();
