import { test } from 'uvu';
import { runBundledReplSuite } from './bundled.js';
import './session-suite.js';
import './look-suite.js';
import './prompt-suite.js';

runBundledReplSuite();

test.run();
