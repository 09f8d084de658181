/** The command `planwright completion`: scripts with which a shell completes commands and options. */

import type { Command } from 'commander';
import { readChoice } from './options.ts';

/**
 * Prints the script for a shell, whose start file then has `source <(planwright completion bash)`, the same with `zsh`,
 * or `planwright completion fish | source`. The script completes commands, options and files.
 */
export function completionScript(program: Command, shell: string): string {
  return SCRIPTS[readChoice('shell', shell, ['bash', 'zsh', 'fish'])](wordsOf(program));
}

/** The words that may follow each command. The key is the command; `''` for the program itself. */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(program: Command): Words {
  const commands = program.commands.map((one) => one.name());
  const globals = program.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
  const below = (command: Command, path: string): [string, readonly string[]][] => {
    const options = command.options.flatMap(({ long }) => long ?? []);
    const names = command.commands.map((one) => one.name());
    const choices = path === 'completion' ? Object.keys(SCRIPTS) : path === 'help' ? [...commands, 'options'] : [];
    return [
      [path, [...names, ...choices, ...new Set([...options, ...globals])]],
      ...command.commands.flatMap((one) => below(one, `${path} ${one.name()}`.trim())),
    ];
  };
  return new Map(below(program, ''));
}

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Completes files if no command or option matches. Skips options and their values before the command. */
function bashScript(words: Words): string {
  const cases = [...words].map(([path, all]) => `    '${path}') list='${all.join(' ')}' ;;`);
  const paths = [...words.keys()].filter(Boolean).map((path) => `'${path}'`);
  return `_planwright() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" command='' at next list
  for ((at = 1; at < COMP_CWORD; at++)); do
    next="\${command:+$command }\${COMP_WORDS[at]}"
    case "$next" in ${paths.join('|')}) command="$next" ;; esac
  done
  case "$command" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$list" -- "$cur"))
}
complete -o default -F _planwright planwright`;
}

/** zsh runs the bash script, which therefore avoids zsh's own variables, such as `path` and `words`. */
function zshScript(words: Words): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`;
}

function fishScript(words: Words): string {
  return [...words]
    .map(([path, all]) => {
      const seen = path.split(' ').map((name) => `__fish_seen_subcommand_from ${name}`);
      const when = path === '' ? '__fish_use_subcommand' : seen.join('; and ');
      return `complete -c planwright -n '${when}' -a '${all.join(' ')}'`;
    })
    .join('\n');
}
