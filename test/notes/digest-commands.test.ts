/** Commands: how much they matter, their telling part, how they ended, what they wrote and committed. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  commandOutcome,
  coreOf,
  familyOf,
  tellingCommand,
  tellingLine,
  weightOf,
  withoutFlags,
} from '../../src/notes/digest-commands.ts'
import { commitsIn, writesIn } from '../../src/transcript/digest-shell.ts'

describe('the weight of a command', () => {
  it.each([
    ['ls -la src', 0],
    ['cd /x && git status && git log --oneline | head', 0],
    ['sleep 90 && gh pr checks 12', 0],
    ['for f in a b; do echo "$f"; done', 0],
    ['mkdir -p out', 1],
    ['node -e "console.log(1)"', 1],
    ['curl -s https://example.org', 2],
    ['npm test', 3],
    ['cd app && CI=1 npx vitest run 2>&1 | tail -5', 3],
    ['sudo apt install jq', 3],
    ['git push origin main', 3],
    ['git log --grep="build"', 0],
  ])('%j is %i', (command, weight) => {
    expect(weightOf(command)).toBe(weight)
  })
})

describe('the telling part', () => {
  it('is the whole command while it is short', () => {
    expect(tellingCommand('cd app && npm test 2>&1 | tail -5')).toBe('cd app && npm test 2>&1 | tail -5')
  })

  it('leaves out the way to a directory far away', () => {
    const command = 'cd /home/somebody/projects/with/a/long/name/indeed && npm run build'

    expect(tellingCommand(command)).toBe('npm run build')
  })

  it('ends a long command at a boundary and says so', () => {
    const command = `gh pr create --title "Add the filter" --body "$(cat <<'EOF'\n${'words '.repeat(60)}\nEOF\n)"`
    const part = tellingCommand(command)

    expect(part).toBe('gh pr create --title "Add the filter" …')
  })

  it('picks the command of a long line that matters', () => {
    const command = `echo ${'a'.repeat(60)} && ls ${'b'.repeat(60)} && npm run build && echo done`

    expect(tellingCommand(command)).toBe('npm run build …')
  })

  it('is always a piece of the command, never cut inside a word', () => {
    const word = fc.constantFrom(
      'npm',
      'test',
      '--flag',
      'run',
      '"a b"',
      '&&',
      '|',
      'cat',
      'src/a.ts',
      '\n',
      ';',
      "'x'",
      'echo',
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 60 }), (words) => {
        const command = words.join(' ')
        const part = tellingCommand(command).replace(/ …$/, '')
        const at = command.indexOf(part)
        expect(at).toBeGreaterThanOrEqual(0)
        expect(command[at + part.length] ?? ' ').toMatch(/[\s;&|"']/)
      }),
    )
  })
})

describe('the same command again', () => {
  it('is known by its core, without how its output is shown', () => {
    expect(coreOf('cd /x && npm test 2>&1 | tail -5')).toBe('npm test')
    expect(coreOf('npm test || true')).toBe('npm test')
    expect(withoutFlags('git push --force origin main')).toBe('git push origin main')
  })

  it.each([
    ['cd x && npm run build -- --watch', 'npm run build'],
    ['git -C /x push -u origin main', 'git push'],
    ['python3 -m pytest tests/a.py', 'python3 pytest'],
    ['uv run pytest -q | tail', 'uv run pytest'],
  ])('%j belongs to %j', (command, family) => {
    expect(familyOf(command)).toBe(family)
  })
})

describe('the outcome', () => {
  it('is what the output says when a pipe hides the exit code', () => {
    expect(commandOutcome('npm test | tail -3', true, 'Tests  2 failed | 10 passed')).toBe(false)
    expect(commandOutcome('npm test | tail -3', true, 'Tests  12 passed, 0 failed')).toBe(true)
    expect(commandOutcome('npm test', true, '2 failed')).toBe(true)
    expect(commandOutcome('npm test', null, '')).toBeNull()
  })

  it.each([
    ['Exit code 1\n> app@1.0.0 test\n\nTests  1 failed | 4 passed (5)', false, 'Tests 1 failed | 4 passed (5)'],
    [
      'Exit code 2\nsrc/a.ts(3,1): error TS2304: Cannot find name',
      false,
      'src/a.ts(3,1): error TS2304: Cannot find name',
    ],
    ['> vite build\n✓ built in 3.2s', true, '✓ built in 3.2s'],
    ['{\n"success": true\n}', true, null],
    ['drwxr-xr-x 2 me me', true, null],
    ['Exit code 1', false, null],
  ])('of %j is told in one line', (output, ok, line) => {
    expect(tellingLine(output, ok)).toBe(line)
  })
})

describe('commits', () => {
  it.each([
    ['git commit -m "Add tests"', ['Add tests']],
    ["git add -A && git commit -am 'Fix it' && git push", ['Fix it']],
    ['git commit -m "Say \\"hello\\""', ['Say "hello"']],
    ['git commit -m "$(cat <<\'EOF\'\nfeat: one\n\nbody (with a bracket)\nEOF\n)"', ['feat: one']],
    ['git -C /x commit --message="Subject" -m "Body"', ['Subject']],
    ['git commit --amend --no-edit', []],
    ['git log --grep="git commit"', []],
    ['echo "git commit -m x"', []],
  ])('in %j are %j', (command, subjects) => {
    expect(commitsIn(command)).toEqual(subjects)
  })
})

describe('files that a command wrote', () => {
  it.each([
    [
      'git mv src/a.ts src/b.ts',
      [
        { path: 'src/a.ts', how: 'removed' },
        { path: 'src/b.ts', how: 'created' },
      ],
    ],
    ["cd pkg && sed -i 's/a/b/' conf.yml", [{ path: 'pkg/conf.yml', how: 'edited' }]],
    ["cat > docs/a.md <<'EOF'\nx > y\nEOF", [{ path: 'docs/a.md', how: 'created' }]],
    ['cat <<EOF > docs/a.md\nrm b.ts\nEOF', [{ path: 'docs/a.md', how: 'created' }]],
    ['echo "x" >> ~/.bashrc', [{ path: '~/.bashrc', how: 'edited' }]],
    ['rm -rf old.ts node_modules dist', [{ path: 'old.ts', how: 'removed' }]],
    ['rm "$FILE" *.ts', []],
    ['npm test > /tmp/log 2>&1', []],
    ['echo "a > b"', []],
    ['ls 2>/dev/null', []],
  ])('in %j', (command, writes) => {
    expect(writesIn(command)).toEqual(writes)
  })
})
