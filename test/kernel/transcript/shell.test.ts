/** What a command line does: its tasks, its repository, and what its commit says. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  commandsOf,
  commitBodyIn,
  commitsIn,
  isElsewhere,
  isGitWork,
  tasksOf,
} from '../../../src/kernel/transcript/shell.ts'
import { wildText } from '../../support/briefing.ts'

describe('the tasks of a command line', () => {
  it.each([
    ['mise run test:ci', ['mise run test:ci']],
    ['mise run test:ci 2>&1 | tail -40', ['mise run test:ci']],
    ['mise run fmt && mise run lint', ['mise run fmt', 'mise run lint']],
    ['cd app && npm test -- --run parser', ['npm test']],
    ['CI=1 timeout 60 npm run check; echo done', ['npm run check']],
    ['go test ./... -count=1', ['go test']],
    ['npx vitest run test/notes', ['vitest run test/notes']],
    ['git push origin main', ['git push']],
    ['ls', []],
    ['cat a.ts | grep b', []],
  ])('of %s', (cmd, tasks) => {
    expect(tasksOf(cmd)).toEqual(tasks)
  })

  it('differ where runner or task differ', () => {
    expect(tasksOf('mise run lint')).not.toEqual(tasksOf('mise run fmt'))
    expect(tasksOf('npm test')).not.toEqual(tasksOf('pnpm test'))
  })
})

describe('a command line works elsewhere', () => {
  it.each([
    'git init -q && git commit -m "x"',
    'cd /tmp/try && git commit -m "x"',
    'cd "/tmp/try" && git commit -m "x"',
    'cd $(mktemp -d) && git commit -m "x"',
    'cd "$(mktemp -d)" && git commit -m "x"',
    'cd $TMPDIR/x; git add .',
    'git -C /private/tmp/x commit -m "x"',
    'cd /var/folders/ab/T/x && git commit -m "x"',
  ])('%s', (cmd) => {
    expect(isElsewhere(cmd)).toBe(true)
  })

  it.each([
    'git commit -m "git init is no longer needed"',
    'cd src/tmp && git commit -m "x"',
    'cd /home/ada/app && git commit -m "x"',
    'git -C ../app commit -m "x"',
    'echo "cd /tmp/x" > run.sh',
    'cp a /tmp/a && git add .',
  ])('not %s', (cmd) => {
    expect(isElsewhere(cmd)).toBe(false)
  })
})

describe('the body of a commit message', () => {
  const heredoc = (message: string): string => `git commit -m "$(cat <<'EOF'\n${message}\nEOF\n)"`

  it('is what stands behind its subject, without lines that name people or programs', () => {
    const message =
      'Fix it\n\nDates were local.\nNow UTC.\n\nGenerated with a tool\nCo-Authored-By: Ada <a@example.org>'

    expect(commitBodyIn(heredoc(message))).toBe('Dates were local.\nNow UTC.')
    expect(commitBodyIn(`git add . && git commit -m "Fix it\n\nDates were local."`)).toBe('Dates were local.')
  })

  it('is that of the last commit that has one', () => {
    expect(commitBodyIn(`${heredoc('One\n\nFirst.')} && ${heredoc('Two\n\nSecond.')}`)).toBe('Second.')
  })

  it.each(['git commit -m "Fix it"', 'git log --format="%B\n\nx"', 'echo "git commit -m x\n\ny"', heredoc('Fix it')])(
    'is empty: %s',
    (cmd) => {
      expect(commitBodyIn(cmd)).toBe('')
    },
  )
})

describe('git work', () => {
  it.each([
    ['git add -A', true],
    ['cd app && git -C x commit -m "a"', true],
    ['git push', true],
    ['git status && git diff', false],
    ['echo git add', false],
  ])('%s: %s', (cmd, is) => {
    expect(isGitWork(cmd)).toBe(is)
  })
})

it('the shell reader reads any text, and finds only what is in it', () => {
  fc.assert(
    fc.property(fc.oneof(wildText, fc.string()), (cmd) => {
      isElsewhere(cmd)
      for (const one of [...commandsOf(cmd), ...commitsIn(cmd)]) expect(cmd).toContain(one)
      for (const line of commitBodyIn(cmd).split('\n')) expect(cmd).toContain(line)
      for (const task of tasksOf(cmd)) for (const word of task.split(' ')) expect(cmd).toContain(word)
    }),
    { numRuns: 300 },
  )
})
