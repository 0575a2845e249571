/** Completion in the shells themselves; a shell that is not installed is skipped. */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { completionsFor } from '../../src/cli/completion-words.ts'
import type { Command } from '../../src/memory/commands/command.ts'
import { parseSetting, SETTINGS, type SettingName } from '../../src/platform/config.ts'
import { CLI, envOf, runCommand } from '../support/process.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0

function inShell(project: TestProject, shell: string, args: readonly string[], script: string): string {
  const env = envOf(project, { PATH: process.env.PATH, CLAUDE_PROJECT_DIR: undefined, TERM: 'dumb' })
  const done = spawnSync(shell, [...args, '-c', script], { cwd: project.root, env, encoding: 'utf8' })
  return done.stdout + done.stderr
}

/** Something for each argument that must be there. */
const ARGUMENTS: Readonly<Record<string, string>> = { '<id>': 'd001', '<type>': 'issue', '<text...>': 'Slow.' }

const made = (shell: string): string => `node "${CLI}" completion ${shell}`

/** What options take that no list could hold: texts, numbers, days, paths, ids. */
const OPEN = /^<(?:text|n|file|part|id|id-or-name|dir|zone|path|minutes|words|day|session|name|when)>$/

interface Closed {
  command: Command
  flag: string
  values: readonly string[]
  /** The words before its value. */
  before: string[]
}

/** Each command as it may be typed, up to the value of an option that takes one of a list. */
const CLOSED: readonly Closed[] = COMMANDS.flatMap((command) =>
  (command.options ?? []).flatMap(({ flags, values }): Closed[] => {
    const [flag = ''] = flags.split(' ')
    const name = command.usage.split(' ').filter((word) => !/^[<[]/.test(word))
    const takes = command.usage.split(' ').flatMap((word) => (word.startsWith('<') ? (ARGUMENTS[word] ?? []) : []))
    return values === undefined ? [] : [{ command, flag, values, before: [...name, ...takes, flag] }]
  }),
)
const ALL_CLOSED = CLOSED.map((one) => [one.before.join(' '), one] as const)

describe('values', () => {
  const complete = (...words: string[]): string[] => completionsFor(COMMANDS, words, (kind) => [`a-${kind}`])

  it('are those of every option that takes one of a list, and no other option does', () => {
    expect(new Set(CLOSED.map(({ flag }) => flag))).toEqual(
      new Set(['--type', '--state', '--status', '--kind', '--layer', '--from']),
    )
    const open = COMMANDS.flatMap(({ options = [] }) => options).filter(({ values }) => values === undefined)
    const placeholders = open.flatMap(({ flags }) => flags.match(/<.*>/) ?? [])
    expect(placeholders.filter((one) => !OPEN.test(one))).toEqual([])
  })

  it.each(ALL_CLOSED)('of %s are what the command takes, and it takes nothing else', (_, { before, values, flag }) => {
    expect(complete(...before, '')).toEqual(values.toSorted())
    const usageOf = (value: string): string => {
      const { err, code } = runCommand(makeProject(), [...before, value], {}, 'Some words.')
      return code === 2 ? err : ''
    }
    const refused = usageOf('zebra')
    expect(refused).toContain(flag.slice(2))
    for (const value of values) {
      expect(refused).toContain(value)
      // What else may be missing is another matter.
      expect(usageOf(value)).not.toBe(refused.replace('zebra', value))
    }
  })

  it.each(Object.keys(SETTINGS) as SettingName[])('of the setting %s are what it takes', (name) => {
    const offered = complete('config', 'set', name, '')
    const { kind } = SETTINGS[name]
    if (kind.is === 'choice') expect(offered).toEqual([...kind.of].sort())
    else if (kind.is === 'switch') expect(offered).toEqual(['false', 'true'])
    else expect(offered).toEqual([])

    for (const value of offered.slice(0, 40)) expect(parseSetting(name, value)).toHaveProperty('value')
  })

  it('of an option are no argument of the command', () => {
    expect(complete('facts', 'show', '--context', '2', 'a-f')).toEqual(['a-fact'])
    expect(complete('facts', 'show', '--context', '')).toEqual([])
    expect(complete('facts', 'add', '')).toEqual(['a-type'])
    expect(complete('facts', 'add', 'decision', '')).toEqual([])
    expect(complete('facts', 'list', '--project', '')).toEqual([])
  })
})

/** Of each kind of list one, since the lists themselves are compared above: a shell starts a program for each line. */
const LINES = [
  ...CLOSED.slice(0, 1).map(({ before, values }) => [before, values] as const),
  [
    ['config', 'set', 'summarizer'],
    ['auto', 'headless', 'agent', 'extractive'],
  ] as const,
  [
    ['config', 'set', 'rules'],
    ['true', 'false'],
  ] as const,
  [
    ['facts', 'add'],
    ['decision', 'pattern', 'issue'],
  ] as const,
  [['completion'], ['bash', 'zsh', 'fish']] as const,
]
const WANTED = LINES.map(([, values]) => `${values.toSorted().join(' ')}\n`).join('')

/** How each shell is asked for what comes behind these words. */
const SHELLS: [
  shell: string,
  args: string[],
  begin: (base: string) => string,
  ask: (before: readonly string[]) => string,
][] = [
  [
    'bash',
    ['--norc'],
    () => `eval "$(${made('bash')})"`,
    (before) =>
      `COMP_WORDS=(memory-keeper ${before.join(' ')} ''); COMP_CWORD=${before.length + 1}; _memory_keeper; echo "\${COMPREPLY[*]}"`,
  ],
  [
    'zsh',
    ['-f'],
    (base) =>
      `autoload -Uz compinit; compinit -u -d "${base}/dump"; eval "$(${made('zsh')})"\ncompadd() { print -r -- "\${(P)2}" }`,
    (before) => `words=(memory-keeper ${before.join(' ')} ''); CURRENT=${before.length + 2}; _memory_keeper`,
  ],
  [
    'fish',
    ['--no-config'],
    () => `${made('fish')} | source`,
    (before) => `echo (complete -C "memory-keeper ${before.join(' ')} ")`,
  ],
]

describe('completion', () => {
  it.each(SHELLS)('knows the values of each kind of list in %s', (shell, args, begin, ask) => {
    if (!has(shell)) return
    const project = makeProject()
    const script = [begin(project.base), ...LINES.map(([before]) => ask(before))].join('\n')

    expect(inShell(project, shell, args, script)).toBe(WANTED)
  })

  it.skipIf(!has('bash'))('works in bash, with words that hold quotes and spaces', () => {
    const project = makeProject()
    runCommand(project, ['page', 'set', 'deploy', '--text', 'On Tuesdays.'])
    const asked = [
      ['stat'],
      ['config', 'set', 'saveI'],
      ['page', 'get', '""'],
      ['search', `'it'"'"'s $(date)'`, '--lim'],
      ['no-such', 'thing'],
    ].map(
      (words) =>
        `COMP_WORDS=(memory-keeper ${words.join(' ')}); COMP_CWORD=${words.length}; _memory_keeper; echo "\${COMPREPLY[*]}"`,
    )
    const script = [`eval "$(${made('bash')})"`, ...asked].join('\n')

    expect(inShell(project, 'bash', ['--norc'], script).split('\n')).toEqual([
      'stats status statusline',
      'saveInterval',
      'deploy',
      '--limit',
      '',
      '',
    ])
  })

  it.skipIf(!has('bash'))('brings the name along where no program has it', () => {
    expect(inShell(makeProject(), 'bash', ['--norc'], `eval "$(${made('bash')})"; memory-keeper --version`)).toMatch(
      /^\d+\.\d+\.\d+\n$/,
    )
  })

  it.skipIf(!has('bash'))('leaves an alias of that name alone', () => {
    const script = `shopt -s expand_aliases\nalias memory-keeper='echo mine'\neval "$(${made('bash')})"\nmemory-keeper\ncomplete -p memory-keeper`

    expect(inShell(makeProject(), 'bash', ['--norc'], script)).toBe(
      'mine\ncomplete -o default -F _memory_keeper memory-keeper\n',
    )
  })

  it.skipIf(!has('zsh'))(
    'leaves an alias of that name alone in zsh, and brings the name along where there is none',
    () => {
      const begin = `autoload -Uz compinit; compinit -u -D; `
      const own = `${begin}alias memory-keeper='echo mine'\neval "$(${made('zsh')})"\neval memory-keeper`

      expect(inShell(makeProject(), 'zsh', ['-f'], own)).toBe('mine\n')
      expect(
        inShell(makeProject(), 'zsh', ['-f'], `${begin}eval "$(${made('zsh')})"\nmemory-keeper --version`),
      ).toMatch(/^\d+\.\d+\.\d+\n$/)
    },
  )
})
