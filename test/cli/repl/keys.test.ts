import { test } from 'uvu';
import { runBundledReplSuite } from './bundled.js';
import './keys-suite.js';

runBundledReplSuite();

test.run();
