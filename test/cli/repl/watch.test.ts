import { test } from 'uvu';
import { runBundledReplSuite } from './bundled.js';
import './watch-suite.js';
import './pager-suite.js';

runBundledReplSuite();

test.run();
