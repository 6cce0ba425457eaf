import { test } from 'uvu';
import { startEnsemble } from '../../../src/server/main.js';
import { terminalTest } from '../../support/terminal/terminal.js';
import { type ReplServer, runReplSuite } from './world.js';
import './session-suite.js';
import './watch-suite.js';
import './keys-suite.js';
import './pager-suite.js';
import './prompt-suite.js';

runReplSuite({
  name: 'an ensemble of three',
  register: terminalTest,
  start,
  isWhole: false,
});

/** The shell connects to one server, and its tests make changes through another. */
async function start(): Promise<ReplServer> {
  const { members, close } = await startEnsemble();
  const [connectString = '', ...others] = members.map((member) => member.connectString);
  return { connectString, others: others.join(), close };
}

test.run();
