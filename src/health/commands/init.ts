/** `init` makes the memory directory with templates for its pages; `completion` prints scripts for bash, zsh and fish. */
import path from 'node:path'
import { type CliWorld, type CommonOptions, type Context, programIn, underLock } from '../../memory/commands/context.ts'
import { bold, count, createOutput, dim, table } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { readPages } from '../../pages/disk/pages.ts'
import { isUntouchedTemplate, PAGE_TEMPLATES } from '../../pages/page.ts'
import { KeeperError } from '../../platform/error.ts'
import { PAGE_SUFFIX, SESSIONS_DIR } from '../../platform/layout.ts'
import { transcriptsBehind } from '../../sessions/disk/verify.ts'

export function runInit(context: Context, options: { force?: boolean }): number {
  const { store, out, isDryRun } = context
  checkPlace(context, options.force === true)
  const wasThere = store.isPrepared()
  const missing = (): string[] => {
    const names = readPages(store).map((page) => page.name)
    return Object.keys(PAGE_TEMPLATES).filter((name) => !names.includes(name))
  }
  const written = isDryRun
    ? missing()
    : underLock(store, COMMAND_WAIT_MS, () => {
        const names = missing()
        store.perform(
          names.map((name) => ({ do: 'write', path: `${name}${PAGE_SUFFIX}`, text: PAGE_TEMPLATES[name] ?? '' })),
        )
        return names
      })
  const kept = Object.keys(PAGE_TEMPLATES).filter((name) => !written.includes(name))
  const earlier = transcriptsBehind(store).length
  out.json({
    dir: store.dir,
    isNew: !wasThere,
    written,
    kept,
    summarizer: store.config.summarizer,
    earlierSessions: earlier,
    dryRun: isDryRun,
  })
  const would = isDryRun ? 'would be ' : ''
  out.say(
    `${bold(store.dir)} ${wasThere ? 'is there already.' : `${would}made.`}`,
    ...(written.length > 0
      ? [`Templates ${would}written: ${written.map((name) => `${name}${PAGE_SUFFIX}`).join(', ')}`]
      : []),
    ...(kept.length > 0 ? [`Left as they are: ${kept.map((name) => `${name}${PAGE_SUFFIX}`).join(', ')}`] : []),
    ...whatHappens(store),
    ...byHand(context),
    ...nextSteps(store, earlier),
  )
  return 0
}

function checkPlace({ store, world }: Context, isForced: boolean): void {
  const { root } = store.places.project
  if (store.ownership === 'foreign') {
    throw new KeeperError(
      'foreign',
      `${store.places.inProject} is not trusted. Trust or remove it first: memory-keeper trust`,
    )
  }
  if (isForced || (root !== world.around.home && path.dirname(root) !== root)) return
  throw new KeeperError(
    'no-project',
    `${root} is no project. Go to one, or name it with --project DIR; to keep a memory here all the same: memory-keeper init --force`,
  )
}

const WRITERS: Readonly<Record<string, string>> = {
  auto: 'Claude Haiku in the background (your account), else Claude in your session',
  headless: 'Claude Haiku in the background, on your account',
  agent: 'Claude itself, asked in your session',
  extractive: 'plain code, no model',
}

function whatHappens({ config, dir }: Store): string[] {
  return [
    '',
    bold('From now on:'),
    ...table([
      [
        '  captured',
        `every prompt, answer and tool use; ${config.redaction ? 'secrets are replaced first' : 'secrets are NOT replaced'}`,
      ],
      ['  where', path.join(dir, SESSIONS_DIR)],
      ['  notes', `after ${count(config.saveInterval, 'tool use')}, by ${WRITERS[config.summarizer]}`],
      ['  injected', 'what is remembered, when a session starts; pages once something is written in them'],
    ]),
  ]
}

/** A plugin cannot set the host's status line, and in a terminal our name is mostly not on the PATH: the user can change both. */
function byHand({ world, store }: Context): string[] {
  const { programs } = world
  const command =
    programs === undefined ? 'memory-keeper statusline' : `node "${path.join(programs, 'statusline.cjs')}"`
  return [
    '',
    bold('If you like:'),
    `  a line about the memory under your prompt, in ${path.join(store.places.hostDir, 'settings.json')}:`,
    `    "statusLine": ${JSON.stringify({ type: 'command', command })}`,
    '  memory-keeper in a terminal, with completion, in ~/.bashrc (also for zsh and fish):',
    `    eval "$(${programIn(world)} completion bash)"`,
  ]
}

function nextSteps(store: Store, earlier: number): string[] {
  const isDescribed = readPages(store).some(({ name, text }) => name === 'project' && !isUntouchedTemplate(name, text))
  const rows = [
    ['import', `take in ${count(earlier, 'earlier session')} of this project now; the next start does it too`],
    ['page set project --text "…"', 'say what this project is'],
    ['config list', 'see what can be changed'],
    ['doctor', 'see that all is well'],
    ['uninstall', 'see what it would remove, and what stays'],
  ]
  const shown = rows.filter((_, i) => (i === 0 ? earlier > 0 : i === 1 ? !isDescribed : true))
  return ['', bold('Next:'), ...table(shown.map(([next, about = '']) => [`  memory-keeper ${next}`, dim(about)]))]
}

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
