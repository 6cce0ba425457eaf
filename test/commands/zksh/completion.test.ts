import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COMPLETION_SHELLS, completionScript } from '../../../src/commands/zksh/completion.js';
import { allCommands } from '../../../src/commands/zksh/running/registry.js';
import { ZKSH } from '../../../src/commands/zksh/zksh-declaration.js';
import { completeInFish, completeInZsh, fishTest, zshTest } from '../../support/outer-shells.js';
import { runZksh } from '../../support/run-zksh.js';
import { makeTempDir } from '../../support/temp-dir.js';

test('the script of every shell has every command, option, and letter', async () => {
  const commands = await allCommands();
  for (const shell of COMPLETION_SHELLS) {
    const script = completionScript(shell, commands);
    for (const command of commands.flatMap((each) => each.subcommands ?? [each])) {
      assert.match(script, new RegExp(`\\b${command.name}\\b`), `${shell}: ${command.name}`);
      for (const [name, { letter }] of Object.entries(command.options)) {
        assert.ok(script.includes(`--${name}`), `${shell}: ${command.name} --${name}`);
        if (letter !== undefined) assert.ok(script.includes(`-${letter}`), `${shell}: -${letter}`);
      }
    }
    for (const name of Object.keys(ZKSH.options)) {
      const flag = shell === 'fish' ? `-l ${name}` : `--${name}`;
      assert.ok(script.includes(flag), `${shell}: ${flag}`);
    }
  }
});

test('bash completes options, values, and commands with their options within -c', async () => {
  const home = makeTempDir();
  try {
    const file = join(home.path, 'completion');
    writeFileSync(file, completionScript('bash', await allCommands()));
    const complete = (...words: string[]) => {
      const quoted = words.map((word) => `$'${word.replace(/'/g, "\\'")}'`).join(' ');
      const script = `source '${file}'; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _zksh; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trimEnd();
    };
    assert.is(complete('zksh', '--reado'), '--readonly');
    assert.is(complete('zksh', '-o', 'nd'), 'ndjson');
    assert.is(complete('zksh', 'compl'), 'completion');
    assert.is(complete('zksh', 'completion', 'f'), 'fish');
    assert.is(complete('zksh', '-c', 'getAl'), 'getAllChildrenNumber');
    assert.is(complete('zksh', '-c', 'deleteall --dr'), 'deleteall --dry-run');
    assert.is(complete('zksh', '-c', "'deleteall --dr"), 'deleteall --dry-run');
    assert.is(complete('zksh', '-c', 'queue pu'), 'queue put');
    assert.is(complete('zksh', '-c', 'queue '), 'queue put\nqueue take\nqueue peek\nqueue ls');
    assert.is(complete('zksh', '-c', 'queue put --'), 'queue put --help\nqueue put --priority');
    assert.is(complete('zksh', '-c', 'queue put /jobs --p'), 'queue put /jobs --priority');
  } finally {
    home.remove();
  }
});

const TYPED = [
  ['zksh --reado', '--readonly'],
  ['zksh -o nd', 'ndjson'],
  ['zksh compl', 'completion'],
  ['zksh completion f', 'fish'],
  ['zksh --data', '--data-dir'],
  ['zksh -c getAl', 'getAllChildrenNumber'],
  ["zksh -c 'getAl", 'getAllChildrenNumber'],
] as const;

zshTest('zsh completes options, values, and commands with their options within -c', async () => {
  const script = completionScript('zsh', await allCommands());
  const quoted = "zksh -c 'deleteall --dr";
  const sub = ["zksh -c 'queue pu", "zksh -c 'queue put --pr", "zksh -c 'acl show /a --rec"];
  const lines = completeInZsh(script, [...TYPED.map(([line]) => line), quoted, ...sub]);
  const expected = TYPED.map(([line, word]) => line.replace(/[^ ']*$/, word));
  assert.equal(
    lines.map((line) => line.trimEnd()),
    [
      ...expected,
      "zksh -c 'deleteall --dry-run",
      "zksh -c 'queue put",
      "zksh -c 'queue put --priority",
      "zksh -c 'acl show /a --recursive",
    ],
  );
});

zshTest('zsh accepts the arguments of _arguments for every command', async () => {
  const commands = await allCommands();
  const all = commands.flatMap((command) => command.subcommands ?? [command]);
  const lines = all.map(({ name }) => `zksh -c '${name} --`);
  const found = completeInZsh(completionScript('zsh', commands), lines);
  assert.equal(
    found.filter((line, at) => !line.startsWith(lines[at] ?? '?')),
    [],
  );
});

fishTest('fish completes options, values, and commands with their options within -c', async () => {
  const script = completionScript('fish', await allCommands());
  const quoted = "zksh -c 'deleteall --dr";
  const sub = ["zksh -c 'queue pu", "zksh -c 'queue put --pr"];
  const offers = completeInFish(script, [...TYPED.map(([line]) => line), quoted, ...sub]);
  const expected = ['deleteall --dry-run', 'queue put', 'queue put --priority'];
  assert.equal(offers, [...TYPED.map(([, word]) => word), ...expected]);
});

test('zksh completion prints it, and an unknown shell is refused', async () => {
  const run = await runZksh(['completion', 'bash']);
  assert.equal([run.code, run.stderr], [0, '']);
  assert.is(run.stdout, completionScript('bash', await allCommands()));
  const unknown = await runZksh(['completion', 'tcsh']);
  assert.equal([unknown.code, unknown.stdout], [2, '']);
  assert.match(
    unknown.stderr,
    /^zksh: completion: unknown shell: "tcsh" \(expected bash, zsh, or fish\)\n/,
  );
});

test.run();
