// Completion scripts come from the declarations: options of zksh, file names, and within -c the
// commands and their options.
import { type CommandDeclaration, type OptionSpec, subcommandWords } from './engine/command.js';
import { HELP_OPTION } from './engine/word-role.js';
import { ZKSH } from './zksh-declaration.js';

export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

export function completionScript(
  shell: CompletionShell,
  commands: readonly CommandDeclaration[],
): string {
  const makers = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return makers[shell](commands);
}

type Options = readonly (readonly [name: string, spec: OptionSpec])[];

function optionsOf({ options }: CommandDeclaration): Options {
  return Object.entries<OptionSpec>({ help: HELP_OPTION, ...options });
}

interface Offer {
  readonly names: readonly string[];
  readonly options: Options;
  readonly words: readonly string[];
}

/** Subcommands come before their family, because the first match wins. */
function offersOf(commands: readonly CommandDeclaration[]): readonly Offer[] {
  return commands.flatMap((command) => {
    const { name, aliases = [], subcommands = [] } = command;
    const words = subcommandWords(command);
    const options = words.length === 0 ? optionsOf(command) : [];
    return [...offersOf(subcommands), { names: [name, ...aliases], options, words }];
  });
}

function flagsOf(name: string, { letter }: OptionSpec): string[] {
  return [`--${name}`, ...(letter === undefined ? [] : [`-${letter}`])];
}

function isFileOption(_: string, { kind }: OptionSpec): boolean {
  return kind === 'file';
}

function wordsOf(commands: readonly CommandDeclaration[]): string[] {
  return commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
}

function patternsOf(names: readonly string[]): string {
  return names.map((name) => `'${name} '*`).join('|');
}

function bashScript(commands: readonly CommandDeclaration[]): string {
  const own = optionsOf(ZKSH);
  const flags = (wanted: (name: string, spec: OptionSpec) => boolean) =>
    own.filter(([name, spec]) => wanted(name, spec)).flatMap(([name, spec]) => flagsOf(name, spec));
  const values = own
    .filter(([, { choices }]) => choices !== undefined)
    .map(
      ([name, spec]) =>
        `    ${flagsOf(name, spec).join('|')}) words='${spec.choices?.join(' ')}' ;;`,
    );
  const verbs = offersOf(commands).map(({ names, options, words }) => {
    const flags = options.flatMap(([name, spec]) => flagsOf(name, spec));
    return `    ${patternsOf(names)}) echo '${[...words, ...flags].join(' ')}' ;;`;
  });
  return `# bash completion for zksh; to enable it: source <(zksh completion bash)
_zksh_flags() {
  case "$1" in
${verbs.join('\n')}
  esac
}
_zksh_line() {
  # Within -c, the word may contain a whole command after its quote.
  local line="\${1#[\\"\\']}" quote='' last words
  [[ "$line" == "$1" ]] || quote="\${1:0:1}"
  line="\${line##*;}"; line="\${line#"\${line%%[! ]*}"}"
  last="\${line##* }"
  if [[ "$line" == *' '* ]]; then words="$(_zksh_flags "$line")"
  else words='${wordsOf(commands).join(' ')}'; fi
  local before="\${1%"$last"}"
  mapfile -t COMPREPLY < <(compgen -P "\${before//[\\"\\']/}" -W "$words" -- "$last")
  compopt -o nospace 2>/dev/null
}
_zksh() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words=''
  case "$prev" in
    ${flags((name) => name === 'command').join('|')}) _zksh_line "$cur"; return ;;
    ${flags(isFileOption).join('|')}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    completion) words='${COMPLETION_SHELLS.join(' ')}' ;;
${values.join('\n')}
  esac
  if [[ -z "$words" && "$cur" == -* ]]; then words='${flags(() => true).join(' ')}'; fi
  if [[ -z "$words" && COMP_CWORD -eq 1 ]]; then words='completion'; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _zksh zksh
`;
}

/** Text between the brackets of _arguments, in single quotes. */
function zshText(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&').replace(/'/g, "'\\''");
}

function zshOption(name: string, spec: OptionSpec): string[] {
  const value =
    spec.kind === undefined
      ? ''
      : `:${name}:${spec.choices !== undefined ? `(${spec.choices.join(' ')})` : isFileOption(name, spec) ? '_files' : ' '}`;
  const many = spec.isRepeatable === true ? '*' : '';
  return flagsOf(name, spec).map((flag) => `'${many}${flag}[${zshText(spec.summary)}]${value}'`);
}

function zshScript(commands: readonly CommandDeclaration[]): string {
  const verbs = offersOf(commands).map(({ names, options, words }) => {
    const specs = options.flatMap(([name, spec]) => zshOption(name, spec));
    const offer =
      words.length > 0
        ? `compadd ${words.join(' ')}`
        : `_arguments ${[...specs, "'*: :_files'"].join(' \\\n      ')}`;
    return `    ${patternsOf(names)}) ${offer} ;;`;
  });
  const list = commands.flatMap(({ name, aliases = [], summary }) =>
    [name, ...aliases].map((word) => `    '${word}:${zshText(summary)}'`),
  );
  const own = optionsOf(ZKSH).flatMap(([name, spec]) =>
    name === 'command'
      ? flagsOf(name, spec).map(
          (flag) => `'*${flag}[${zshText(spec.summary)}]:commands:_zksh_line'`,
        )
      : zshOption(name, spec),
  );
  return `#compdef zksh
# zsh completion for zksh; to enable it: zksh completion zsh > a folder of $fpath/_zksh
_zksh_line() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  # Split the quoted commands into words.
  compset -q
  if (( CURRENT == 1 )); then _describe command commands; return; fi
  case "\${words[1,CURRENT-1]} " in
${verbs.join('\n')}
  esac
}
_zksh_first() {
  _alternative 'words:word:(completion)' 'hosts:connect:_hosts'
}
_zksh() {
  if [[ "$words[2]" == completion ]]; then _values shell ${COMPLETION_SHELLS.join(' ')}; return; fi
  _arguments ${own.join(' \\\n    ')} \\
    '1: :_zksh_first'
}
_zksh "$@"
`;
}

function fishText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

function fishScript(commands: readonly CommandDeclaration[]): string {
  const own = optionsOf(ZKSH).map(([name, spec]) => {
    const letter = spec.letter === undefined ? '' : ` -s ${spec.letter}`;
    const choices = spec.choices === undefined ? '' : ` -a ${fishText(spec.choices.join(' '))}`;
    const value = spec.kind === undefined ? '' : isFileOption(name, spec) ? ' -r' : ` -x${choices}`;
    return `complete -c zksh -l ${name}${letter}${value} -d ${fishText(spec.summary)}`;
  });
  const words = commands.flatMap((command) =>
    [command.name, ...(command.aliases ?? [])].flatMap((word) => [
      `    printf '%s\\t%s\\n' ${word} ${fishText(command.summary)}`,
    ]),
  );
  const flags = offersOf(commands).map(({ names, options, words }) => {
    const all = [...words, ...options.flatMap(([name, spec]) => flagsOf(name, spec))];
    const offers = all.map((word) => `"$before "${fishText(word)}`);
    const patterns = names.map((name) => fishText(`${name} *`)).join(' ');
    return `    case ${patterns}\n      printf '%s\\n' ${offers.join(' ')}`;
  });
  return `# fish completion for zksh; to enable it: zksh completion fish | source
function __zksh_words
  set -l line (commandline -ct | string trim -l -c '\\'"')
  set -l before (string replace -r ' [^ ]*$' '' -- $line)
  if not string match -q '* *' -- $line
${words.join('\n')}
    return
  end
  switch $line
${flags.join('\n')}
  end
end
complete -c zksh -f
complete -c zksh -n '__fish_is_first_arg' -a completion -d 'print completion for a shell'
complete -c zksh -n '__fish_seen_subcommand_from completion' -a '${COMPLETION_SHELLS.join(' ')}'
${own.join('\n')}
complete -c zksh -s c -l command -x -a '(__zksh_words)'
`;
}
