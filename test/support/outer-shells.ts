// Asks the shells that start zksh for the completions of its script.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { makeTempDir } from './temp-dir.js';

function isInstalled(shell: string): boolean {
  const isHere = spawnSync(shell, ['-c', 'exit 0']).status === 0;
  if (isHere) return true;
  const lacking = `Debian's ${shell} is not installed`;
  if (process.env['ZK_ORACLE'] === 'required') {
    throw new Error(`ZK_ORACLE=required, but ${lacking}`);
  }
  console.log(`skipped: completion by ${shell}: ${lacking}`);
  return false;
}

/** Registers a test that needs that shell. Without it, the test counts as skipped. */
export const zshTest = isInstalled('zsh') ? test : test.skip;
export const fishTest = isInstalled('fish') ? test : test.skip;

/** The words that fish offers for each line, without their descriptions. */
export function completeInFish(script: string, lines: readonly string[]): string[] {
  const home = makeTempDir('fish');
  try {
    const file = join(home.path, 'zksh.fish');
    writeFileSync(file, script);
    return lines.map((line) => {
      const args = ['--no-config', '-c', `source $argv[1]; complete -C $argv[2]`, file, line];
      const { stdout, stderr } = spawnSync('fish', args, {
        encoding: 'utf8',
        env: { ...process.env, HOME: home.path },
      });
      if (stderr !== '') throw new Error(stderr);
      return stdout
        .trimEnd()
        .split('\n')
        .map((offer) => offer.replace(/\t.*/, ''))
        .join(' ');
    });
  } finally {
    home.remove();
  }
}

// An interactive zsh on its own terminal prints the line that Tab made.
const ASK_ZSH = `
zmodload zsh/zpty
TERM=dumb zpty child zsh -f -i
zpty -w child "PS1= PS2= PROMPT_SP= PROMPT_CR=; fpath=($1 \\$fpath); \\
autoload -Uz compinit; compinit -D -u; setopt nobeep noautolist; \\
show() { print; print -r -- \\"<<\\$BUFFER>>\\"; BUFFER=; zle reset-prompt }; \\
zle -N show; bindkey '^X' show; bindkey '^I' complete-word; print ready-\\$((1+1))"
zpty -r -m child line '*ready-2*'
shift
for text in "$@"; do
  zpty -w -n child "$text"$'\\t\\x18'
  zpty -r -m child line '*<<*>>*'
  [[ "$line" != *_(zksh|arguments)*:<->:* ]] || print -r -u2 -- "$text: $line"
  line="\${line##*<<}"; print -r -- "\${line%%>>*}"
done
zpty -d child
`;

/** Each line after Tab is pressed at its end in zsh. */
export function completeInZsh(script: string, lines: readonly string[]): string[] {
  const home = makeTempDir('zsh');
  try {
    const folder = join(home.path, 'functions');
    mkdirSync(folder);
    writeFileSync(join(folder, '_zksh'), script);
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', ASK_ZSH, 'zsh', folder, ...lines], {
      encoding: 'utf8',
      env: { ...process.env, HOME: home.path },
      timeout: 60_000,
    });
    if (stderr !== '') throw new Error(stderr);
    return stdout.trimEnd().split('\n');
  } finally {
    home.remove();
  }
}
