import { test } from 'uvu';
import { runBundledReplSuite } from './repl-bundled.js';
import './repl-keys-suite.js';

runBundledReplSuite();

test.run();
