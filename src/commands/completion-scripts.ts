/**
 * The command `gwtoken completion`: scripts, one for each shell. They pass the words up to the cursor,
 * unevaluated, to `gwtoken complete -- WORD…`, whose answer is described in cli/completion.ts.
 *
 * No package offers safe scripts for all four shells. @bomb.sh/tab has no licence text, and its bash script
 * needs bash-completion and evaluates the line: Tab after `$(…)` or `>file` runs it. @pnpm/tabtab may change
 * bash's IFS, and evaluates the line in fish too. omelette has no script for PowerShell.
 */
import type { FlagValues } from '../settings/table';
import type { World } from '../world';

/** Script for bash 3.2 (macOS) and later: 3.2 has no compopt. */
const bash = `# bash completion for gwtoken; in ~/.bashrc: eval "$(gwtoken completion bash)"

_gwtoken() {
  local line=\${COMP_LINE:0:COMP_POINT} words
  IFS=$' \\t' read -ra words <<< "$line"
  [[ $line == *[[:blank:]] ]] && words+=('')
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files || $line == :commands ]]; then
      compopt -o filenames 2>/dev/null
      local kinds=-f
      [[ $line == :commands ]] && kinds=-fc
      while IFS= read -r line; do
        COMPREPLY+=("$line")
      done < <(compgen $kinds -- "\${words[\${#words[@]} - 1]}")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(gwtoken complete -- "\${words[@]:1}" 2>/dev/null)
}

complete -F _gwtoken gwtoken
`;

const zsh = `#compdef gwtoken
# zsh completion for gwtoken; in ~/.zshrc, after compinit if it is there: eval "$(gwtoken completion zsh)"

_gwtoken() {
  local line tab=$'\\t' files=0 programs=0
  local -a found
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
    elif [[ $line == :commands ]]; then
      programs=1
    elif [[ $line == *$tab?* ]]; then
      found+=("\${line%%$tab*}:\${line#*$tab}")
    else
      found+=("\${line%%$tab*}")
    fi
  done < <(gwtoken complete -- "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
  if (( programs )); then
    _alternative 'commands:command:_command_names -e' 'files:file:_files'
  elif (( files )); then
    _files
  else
    _describe gwtoken found
  fi
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _gwtoken "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
  compdef _gwtoken gwtoken
fi
`;

const fish = `# fish completion for gwtoken; in config.fish: gwtoken completion fish | source

function __gwtoken_complete
    # fish reports a missing command even with 2>/dev/null.
    type -q gwtoken; or return
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -e words[1]
    for line in (gwtoken complete -- $words "$last" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$last"
        else if test "$line" = :commands
            # complete would run the command in a word such as "(cmd)".
            if not string match -q -- '*(*' "$last"
                complete -C "$last" | string match -- "$last*"
            end
            __fish_complete_path "$last"
        else
            printf '%s\\n' $line
        end
    end
end

complete -c gwtoken -f -a '(__gwtoken_complete)'
`;

/** Script for PowerShell: older ones drop an empty argument, so it passes a space instead. */
const powershell = `# PowerShell completion for gwtoken; in $PROFILE:
# gwtoken completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName gwtoken -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    $words += if ("$wordToComplete" -eq '') { ' ' } else { "$wordToComplete" }
    gwtoken complete '--' @words 2>$null | Where-Object { $_ -notlike ':*' } | ForEach-Object {
        $word, $help = $_ -split "\`t", 2
        if (-not $help) { $help = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $help)
    }
}
`;

const SCRIPTS = { bash, zsh, fish, powershell };

export function scriptPrinter(shell: keyof typeof SCRIPTS) {
  return async (_: FlagValues, { stdout }: World): Promise<void> => stdout.write(SCRIPTS[shell]);
}
