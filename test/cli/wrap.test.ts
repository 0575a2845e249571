/** Lines for a narrow terminal: broken at words, nothing lost, paths and commands whole. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { width, withoutColours, wrapLines } from '../../src/memory/commands/output.ts'
import { atTerminal, runCommand } from '../support/process.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const dim = (text: string): string => `\u001b[2m${text}\u001b[22m`

describe('a line', () => {
  it('that fits stays as it is', () => {
    expect(wrapLines('one two three\n  four\n', 13)).toBe('one two three\n  four\n')
  })

  it('goes on below where its last column begins', () => {
    expect(wrapLines('ok       plugin: it is installed and it is switched on', 40)).toBe(
      'ok       plugin: it is installed and it\n         is switched on',
    )
  })

  it('goes on below its first column where that is wide', () => {
    expect(wrapLines('  /a/path/of/some/length/facts.json  what is known of the project', 44)).toBe(
      '  /a/path/of/some/length/facts.json\n      what is known of the project',
    )
  })

  it('keeps a path whole, also one that is wider than the terminal', () => {
    const file = `/home/${'very-long/'.repeat(6)}facts.json`

    expect(wrapLines(`It is kept in ${file} for you.`, 40)).toBe(`It is kept in\n${file}\nfor you.`)
  })

  it('keeps a command whole that is to be copied', () => {
    const add = '  node "/home/me/memory-keeper/plugin/dist/cli.cjs" uninstall --purge --all --yes'

    expect(wrapLines(add, 40)).toBe(add)
  })

  it('breaks what stands beside a command', () => {
    expect(wrapLines('  memory-keeper uninstall    see what it would remove, and what stays', 50)).toBe(
      '  memory-keeper uninstall\n      see what it would remove, and what stays',
    )
  })

  it('loses no word and is never wider than the widest word needs', () => {
    const words = fc.array(fc.stringMatching(/^[a-z/가-힣]{1,14}$/), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(words, fc.nat(8), fc.boolean(), fc.integer({ min: 30, max: 90 }), (all, lead, isDim, columns) => {
        const text = all.join(' ')
        const wrapped = wrapLines(`${' '.repeat(lead)}${isDim ? dim(text) : text}`, columns)

        expect(withoutColours(wrapped).replace(/\s+/g, ' ').trim()).toBe(text)
        for (const line of wrapped.split('\n')) expect(width(line)).toBeLessThanOrEqual(columns + 28)
        if (all.every((word) => width(word) <= columns - lead))
          for (const line of wrapped.split('\n')) expect(width(line)).toBeLessThanOrEqual(columns)
      }),
    )
  })
})

function shown(project: TestProject, args: readonly string[]): string {
  const { out, err } = atTerminal(project, args, { NO_COLOR: '1', COLUMNS: '80' })
  return out + err
}

describe('at 80 columns', () => {
  function known(): TestProject {
    const project = makeProject()
    runCommand(project, ['init'])
    runCommand(project, ['facts', 'add', 'decision', `We pay in euros, because ${'of the accountants '.repeat(8)}.`])
    runCommand(project, ['rules', 'add', `Ask before a push, ${'and wait for an answer, '.repeat(6)}always.`])
    return project
  }

  /** What needs no argument and ends by itself. */
  const lines = COMMANDS.filter(
    ({ usage, isVerbatim, isHidden, needsTerminal }) =>
      !usage.includes('<') && !isVerbatim && !isHidden && !needsTerminal && usage !== 'export',
  ).map(({ usage }) => usage.replace(/ \[.*$/, ''))

  it.each([...lines, 'facts show d001', 'show d001', 'facts show d999', 'config set saveInterval 5', 'trust --yes'])(
    '%s says nothing that is wider, but for what cannot be broken',
    (line) => {
      const wide = shown(known(), line.split(' '))
        .split('\n')
        .filter((one) => width(one) > 80 && !/^\s*(?:\S+|(?:memory-keeper|node|claude|eval) .*)$/.test(one))

      expect(wide).toEqual([])
    },
  )

  it('programs, pipes and what is kept word for word are left alone', () => {
    const project = known()
    const text = `Once ${'more and '.repeat(20)}again.`
    runCommand(project, ['page', 'set', 'story', '--text', text])

    expect(shown(project, ['page', 'get', 'story'])).toContain(text)
    expect(shown(project, ['rules', 'list', '--json']).split('\n')).toHaveLength(2)
    expect(runCommand(project, ['rules', 'list']).out).toMatch(/^.{120,}$/m)
    expect(runCommand(project, ['rules', 'list'], { COLUMNS: '100' }).out).not.toMatch(/^.{120,}$/m)
  })
})
