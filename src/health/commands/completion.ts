/** `completion`: scripts for bash, zsh and fish, which ask the program itself for the words (completion-words). */

import type { CliWorld, CommonOptions } from '../../memory/commands/context.ts'
import { createOutput } from '../../memory/commands/output.ts'
import { KeeperError } from '../../platform/error.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

export function runCompletion(world: CliWorld, options: CommonOptions, shell: string): number {
  const known = SHELLS.find((one) => one === shell)
  if (known === undefined) throw new KeeperError('usage', `${shell} is not known. Give one of: ${SHELLS.join(', ')}`)
  const program = world.programs === undefined ? null : `${world.programs}/cli.cjs`
  const script = scriptFor(known, program)
  const out = createOutput(world.streams, options.json === true)
  out.json({ shell: known, script })
  if (!out.isJson) world.streams.out(script)
  return 0
}

/** `program`: our built file, for terminals where our name is on no PATH; null: the name must do. */
function scriptFor(shell: Shell, program: string | null): string {
  const ask = program === null ? 'memory-keeper' : `node ${quoted(program)}`
  const define = program === null ? '' : `${ALIAS[shell](program)}\n`
  return `${HEADS[shell]}${define}${BODIES[shell](ask)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

const HEADS: Readonly<Record<Shell, string>> = {
  bash: '# memory-keeper for bash: add to ~/.bashrc what completion bash prints\n',
  zsh: '#compdef memory-keeper\n# memory-keeper for zsh: add to ~/.zshrc what completion zsh prints, behind compinit\n',
  fish: '# memory-keeper for fish: put what completion fish prints into ~/.config/fish/completions/memory-keeper.fish\n',
}

/** The name itself, where nothing has it: put together when it is run, since an alias of that name would change the words before. */
const ALIAS: Readonly<Record<Shell, (program: string) => string>> = {
  bash: (program) => `command -v memory-keeper >/dev/null 2>&1 || eval ${quoted(named(program))}`,
  zsh: (program) =>
    `(( $+commands[memory-keeper] + $+aliases[memory-keeper] + $+functions[memory-keeper] )) || eval ${quoted(named(program))}`,
  fish: (program) =>
    `type -q memory-keeper; or function memory-keeper; node ${`'${program.replace(/[\\']/g, '\\$&')}'`} $argv; end`,
}

function named(program: string): string {
  return `memory-keeper() { node ${quoted(program)} "$@"; }`
}

const BODIES: Readonly<Record<Shell, (ask: string) => string>> = {
  bash: (ask) => `_memory_keeper() {
  local IFS=$'\\n'
  COMPREPLY=($(${ask} __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _memory_keeper memory-keeper
`,
  zsh: (ask) => `_memory_keeper() {
  local -a found
  found=("\${(@f)$(${ask} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _memory_keeper memory-keeper
`,
  fish: (ask) => `function __memory_keeper_complete
  set -l words (commandline -opc)[2..-1] (commandline -ct)
  ${ask.replace(/^node '(.*)'$/s, (_, file: string) => `node '${file.replaceAll(`'\\''`, "\\'")}'`)} __complete -- $words 2>/dev/null
end
complete -c memory-keeper -a '(__memory_keeper_complete)'
`,
}
