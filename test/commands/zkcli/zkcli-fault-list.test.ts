// The twenty known faults of Apache's shell, each with the test that shows it absent here.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readProjectFile } from '../../support/tidy/source-file.js';

const HERE = 'test/commands/zkcli/zkcli-faults.test.ts';
const COMPATIBLE = 'test/commands/zkcli/golden.test.ts';
const PROCESS = 'test/cli/zksh.test.ts';
const TERMINAL = 'test/cli/repl/session-suite.ts';

const SHOWN_BY: readonly (readonly [fault: string, file: string, name: string])[] = [
  [
    'a bad permission is applied as none',
    HERE,
    'a wrong permission letter leaves the ACL as it is',
  ],
  ['a bad entry is dropped', HERE, 'a wrong entry of an ACL keeps the znode from being made'],
  ['delete ignores a version', HERE, 'delete with a version in the old place deletes nothing'],
  ['words too many are dropped', HERE, 'words too many store nothing'],
  ['backslashes are lost', HERE, 'a backslash is never lost in silence'],
  ['an open quote drops the rest', HERE, 'an open quote runs nothing'],
  ['deleteall never asks', HERE, 'deleteall at the prompt says how many and asks'],
  ['deleteall never asks', HERE, 'deleteall in a script needs --yes'],
  ['-server without a value', COMPATIBLE, '-server without a value is refused, and goes to no'],
  ['noise on stdout', PROCESS, 'only results go to stdout, and only errors to stderr'],
  ['names on stderr', HERE, 'the name of a sequential znode is a result'],
  ['exit code 0 on failures', HERE, 'what failed in part, or had no connection, is an error'],
  [
    'only the last exit code',
    PROCESS,
    'a script stops at its first error, but not with --keep-going',
  ],
  ['sessions are left open', PROCESS, 'the session is closed at the end, after an error too'],
  [
    'null prints as null',
    HERE,
    'null, the text null and bytes that are not text are distinguished',
  ],
  ['values with a dash', HERE, 'a value may begin with a dash'],
  ['setAcl -R hides errors', HERE, 'setAcl -R that fails in part is an error'],
  ['ls -R stops', HERE, 'ls -R continues past what may not be read'],
  ['a missing chroot', PROCESS, 'a chroot goes before every path, and a missing one is named'],
  ['a missing parent', HERE, 'a missing parent is named'],
  ['a bad number ends the shell', HERE, 'a bad number or base64 is an error like any other'],
  ['Ctrl-C and Ctrl-D', TERMINAL, 'Ctrl-C'],
  ['events within the line', TERMINAL, 'watch'],
  ['options that stay', HERE, 'an option counts for its own line only'],
  ['no help, blanks are an error', HERE, 'help is a command, and blanks do nothing'],
  ['TAB knows absolute paths only', 'test/commands/zksh/completing/complete.test.ts', 'path'],
  [
    'digests made elsewhere',
    'test/commands/zksh/verbs/acl/acl.test.ts',
    'digest makes the same id',
  ],
  ['passwords on the screen', 'test/commands/zksh/verbs/shell/history.test.ts', 'without secrets'],
  ['the manual differs', 'test/man/pages.test.ts', 'has the text of its prose'],
];

test('every known fault is shown to be absent', () => {
  for (const [fault, file, name] of SHOWN_BY) {
    assert.ok(readProjectFile(file).includes(name), `${fault}: ${file} has no test "${name}"`);
  }
});

test.run();
