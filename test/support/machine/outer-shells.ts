// Asks the shells that start zksh for the completions of its script.

import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
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

/** A shell with the programs of the build on its PATH. */
export interface OuterShell {
  readonly program: string;
  readonly script: string;
  readonly path: string;
}

/** The words that fish offers for each line, without their descriptions. */
export async function completeInFish(
  { program, script, path }: OuterShell,
  lines: readonly string[],
): Promise<string[]> {
  const home = makeTempDir('fish');
  try {
    const file = join(home.path, `${program}.fish`);
    writeFileSync(file, script);
    const offers: string[] = [];
    for (const line of lines) {
      const args = ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', file, line];
      const shown = (await run('fish', args, home.path, path)).trimEnd().split('\n');
      offers.push(shown.map((offer) => offer.replace(/\t.*/, '')).join(' '));
    }
    return offers;
  } finally {
    home.remove();
  }
}

// An interactive bash on the terminal that zsh gives it. Control-X prints the line.
const BASH_SETTINGS = String.raw`
PS1= PS2=
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind -x '"\C-x": printf "\n<<%s>>\n" "$READLINE_LINE"; READLINE_LINE='
`;
const ASK_BASH = String.raw`
zmodload zsh/zpty
TERM=dumb zpty child bash --norc --noprofile -i
zpty -w child "source $1; echo ready-\$((1+1))"
zpty -r -m child line '*ready-2*'
shift
for text in "$@"; do
  zpty -w -n child "$text"$'\t\x18'
  zpty -r -m child line '*<<*>>*'
  line="${'$'}{line##*<<}"; print -r -- "${'$'}{line%%>>*}"
done
zpty -d child
`;

/** Each line after Tab is pressed at its end in bash. */
export function completeInBash(shell: OuterShell, lines: readonly string[]): Promise<string[]> {
  const script = BASH_SETTINGS + shell.script;
  return completeOnTerminal(ASK_BASH, { ...shell, script }, 'completion', (file) => file, lines);
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
  [[ "$line" != *_(zk|arguments)*:<->:* ]] || print -r -u2 -- "$text: $line"
  line="\${line##*<<}"; print -r -- "\${line%%>>*}"
done
zpty -d child
`;

/** Each line after Tab is pressed at its end in zsh. */
export function completeInZsh(shell: OuterShell, lines: readonly string[]): Promise<string[]> {
  return completeOnTerminal(ASK_ZSH, shell, `_${shell.program}`, dirname, lines);
}

/** @param argumentOf the first argument of the asking program, by the file with the script */
async function completeOnTerminal(
  ask: string,
  { script, path }: OuterShell,
  name: string,
  argumentOf: (file: string) => string,
  lines: readonly string[],
): Promise<string[]> {
  const home = makeTempDir('outer-shell');
  try {
    const folder = join(home.path, 'functions');
    mkdirSync(folder);
    const file = join(folder, name);
    writeFileSync(file, script);
    const args = ['-f', '-c', ask, 'zsh', argumentOf(file), ...lines];
    return (await run('zsh', args, home.path, path)).trimEnd().split('\n');
  } finally {
    home.remove();
  }
}

/** Not in the turn of this process, which may serve the candidates. */
async function run(
  shell: string,
  args: readonly string[],
  home: string,
  path: string,
): Promise<string> {
  // bash would save its history after its end was asked for, while the folder is removed.
  const env = { ...process.env, HOME: home, PATH: path, LC_ALL: 'C.UTF-8', HISTFILE: '' };
  const { stdout, stderr } = await promisify(execFile)(shell, args, { env, timeout: 60_000 });
  if (stderr !== '') throw new Error(stderr);
  return stdout;
}
