// The completion scripts only ask the program: `PROGRAM __complete -- WORDS…`. They remove the
// quotes from the words of the line, expand nothing, and quote the candidates for their shell.
import type { CompletionShell } from './completion-shells.js';

export function completionScript(program: string, shell: CompletionShell): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](program);
}

/** `cut` counts the characters before the last break of bash, which bash keeps. */
function bashScript(program: string): string {
  return `# bash completion for ${program}; to enable it: source <(${program} completion bash)
_${program}() {
  local line="\${COMP_LINE:0:COMP_POINT}" word='' quote='' begun='' char i cut=0
  local -a words=()
  for (( i = 0; i < \${#line}; i++ )); do
    char="\${line:i:1}"
    case "$quote$char" in
      \\' | '"') quote="$char"; begun=1; cut=\${#word} ;;
      \\'\\' | '""') quote='' ;;
      \\'*) word+="$char" ;;
      '"\\') [[ "\${line:i+1:1}" == [\\"\\\\\\$\\\`] ]] && (( ++i )); word+="\${line:i:1}" ;;
      '"'*) word+="$char" ;;
      '\\') (( ++i )); word+="\${line:i:1}"; begun=1 ;;
      [[:space:]])
        [[ -n "$begun" ]] && words+=("$word")
        word=''; begun=''; cut=0 ;;
      *)
        word+="$char"; begun=1
        [[ "$COMP_WORDBREAKS" == *"$char"* ]] && cut=\${#word} ;;
    esac
  done
  COMPREPLY=()
  local value about files=''
  while IFS=$'\\t' read -r value about; do
    case "$value" in
      :nospace) compopt -o nospace 2>/dev/null; continue ;;
      :files) files=-f; continue ;;
      :folders) files=-d; continue ;;
    esac
    COMPREPLY+=("$(_${program}_quote "$quote" "\${value:cut}")")
  done < <("$1" __complete -- "\${words[@]:1}" "$word" 2>/dev/null </dev/null)
  compopt -o nosort 2>/dev/null
  if [[ -n "$files" ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$files" -- "\${word:cut}")
  fi
}
_${program}_quote() {
  local out='' char i
  if [[ "$2" != *[^[:alnum:]/_.,:=@%+-]* ]]; then printf %s "$2"; return; fi
  for (( i = 0; i < \${#2}; i++ )); do
    char="\${2:i:1}"
    case "\${1:-n}$char" in
      \\'\\') out+="'\\\\''" ;;
      '"!') out+="\\"'!'\\"" ;;
      '"'[\\"\\\\\\$\\\`] | n[$' \\t\\'"\\\\$\`&|;<>()*?[]{}~#!^']) out+="\\\\$char" ;;
      *) out+="$char" ;;
    esac
  done
  printf %s "$out"
}
complete -F _${program} ${program}
`;
}

function zshScript(program: string): string {
  return `#compdef ${program}
# zsh completion for ${program}; to enable it: ${program} completion zsh > a folder of $fpath/_${program}
_${program}() {
  local word=$PREFIX line value files=''
  local -a before values abouts display open
  local -i width=0 at
  case $compstate[quote] in
    '') word=\${(Q)PREFIX} ;;
    '"') word=\${(Q):-"\\"$PREFIX\\""} ;;
  esac
  before=("\${(@Q)words[2,CURRENT-1]}")
  for line in "\${(@f)$("\${(Q)words[1]}" __complete -- "\${before[@]}" "$word" 2>/dev/null </dev/null)}"; do
    case $line in
      '') continue ;;
      :nospace) open=(-S ''); continue ;;
      :files) files=_files; continue ;;
      :folders) files='_files -/'; continue ;;
    esac
    value=\${line%%$'\\t'*}
    values+=("$value")
    abouts+=("\${line#"$value"}")
    (( \${#value} > width )) && width=\${#value}
  done
  for (( at = 1; at <= $#values; at++ )); do
    value=\${abouts[at]#$'\\t'}
    display+=("\${(r:width:)values[at]}\${value:+  -- }$value")
  done
  if [[ -n $files ]]; then
    compset -P '--*='
    \${=files}
  elif [[ -n \${(j::)abouts} ]]; then
    compadd -V candidates "\${open[@]}" -l -d display -a values
  else
    compadd -V candidates "\${open[@]}" -a values
  fi
}
if [[ "\${funcstack[1]}" == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

function fishScript(program: string): string {
  return `# fish completion for ${program}; to enable it: ${program} completion fish | source
function __${program}_complete
  set -l words (commandline -opc)
  set -l raw (commandline -ct)
  set -l word ''
  # The quote of the word may be open.
  for end in '' "'" '"'
    if set -l plain (string unescape -- $raw$end)
      set word "$plain"
      break
    end
  end
  for line in ($words[1] __complete -- $words[2..-1] "$word" 2>/dev/null </dev/null)
    set -l option (string match -r -- '^--[^=]*=' $word; or echo '')
    set -l path (string sub -s (math (string length -- $option) + 1) -- $word)
    switch $line
      case ':nospace'
      case ':files'
        for file in (__fish_complete_path $path)
          echo -- $option$file
        end
      case ':folders'
        for file in (__fish_complete_directories $path)
          echo -- $option$file
        end
      case '*'
        echo -- $line
    end
  end
end
complete -c ${program} -f
complete -c ${program} -f -k -a '(__${program}_complete)'
`;
}
