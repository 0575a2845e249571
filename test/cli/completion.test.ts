/** Completion in the shells themselves; a shell that is not installed is skipped. */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { CLI, envOf, runCli } from '../support/process.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0

function inShell(project: TestProject, shell: string, args: readonly string[], script: string): string {
  const env = envOf(project, { PATH: process.env.PATH, CLAUDE_PROJECT_DIR: undefined, TERM: 'dumb' })
  const done = spawnSync(shell, [...args, '-c', script], { cwd: project.root, env, encoding: 'utf8' })
  return done.stdout + done.stderr
}

const made = (shell: string): string => `node "${CLI}" completion ${shell}`

describe('completion', () => {
  it.skipIf(!has('bash'))('works in bash, with words that hold quotes and spaces', () => {
    const project = makeProject()
    runCli(project, ['page', 'set', 'deploy', '--text', 'On Tuesdays.'])
    const ask = (...words: string[]): string =>
      inShell(
        project,
        'bash',
        ['--norc'],
        `eval "$(${made('bash')})"; COMP_WORDS=(memory-keeper ${words.join(' ')}); COMP_CWORD=${words.length}; _memory_keeper; echo "\${COMPREPLY[*]}"`,
      )

    expect(ask('stat')).toBe('stats status statusline\n')
    expect(ask('config', 'set', 'saveI')).toBe('saveInterval\n')
    expect(ask('page', 'get', '""')).toBe('deploy\n')
    expect(ask('search', `'it'"'"'s $(date)'`, '--lim')).toBe('--limit\n')
    expect(ask('no-such', 'thing')).toBe('\n')
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

  it.skipIf(!has('zsh'))('works in zsh', () => {
    const project = makeProject()
    const script = `autoload -Uz compinit; compinit -u -d "${project.base}/dump"; eval "$(${made('zsh')})"
compadd() { print -r -- "\${(P)2}" }
words=(memory-keeper config set saveI); CURRENT=4; _memory_keeper
words=(memory-keeper stat); CURRENT=2; _memory_keeper`

    expect(inShell(project, 'zsh', ['-f'], script)).toBe('saveInterval\nstats status statusline\n')
  })

  it.skipIf(!has('fish'))('works in fish', () => {
    const script = `${made('fish')} | source; complete -C "memory-keeper stat"; complete -C "memory-keeper config set saveI"`

    expect(inShell(makeProject(), 'fish', ['--no-config'], script)).toBe('stats\nstatus\nstatusline\nsaveInterval\n')
  })
})
