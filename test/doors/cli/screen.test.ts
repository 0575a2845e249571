/** The screen: lines broken at words for a narrow terminal, progress of long work, and the times of the user's clocks. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/doors/cli/commands.ts'
import type { CliWorld } from '../../../src/kernel/memory/commands/context.ts'
import { createOutput, width, withoutColours, wrapLines } from '../../../src/kernel/memory/commands/output.ts'
import { showLate } from '../../../src/kernel/memory/commands/progress.ts'
import { atTerminal, runCommand, runCommandJson } from '../../support/process.ts'
import {
  append,
  entriesIn,
  linesFor,
  madeOnce,
  makeProject,
  quietProject,
  sessionId,
  type TestProject,
} from '../../support/project.ts'
import { stop } from '../../support/world.ts'

const dim = (text: string): string => `\u001b[2m${text}\u001b[22m`

describe('a line', () => {
  const file = `/home/${'very-long/'.repeat(6)}facts.json`
  const command = '  node "/home/me/memory-keeper/plugin/dist/cli.cjs" uninstall --purge --all --yes'

  it.each([
    ['that fits stays as it is', 13, 'one two three\n  four\n', 'one two three\n  four\n'],
    [
      'goes on below where its last column begins',
      40,
      'ok       plugin: it is installed and it is switched on',
      'ok       plugin: it is installed and it\n         is switched on',
    ],
    [
      'goes on below its first column where that is wide',
      44,
      '  /a/path/of/some/length/facts.json  what is known of the project',
      '  /a/path/of/some/length/facts.json\n      what is known of the project',
    ],
    ['keeps a path whole, also a wide one', 40, `It is kept in ${file} for you.`, `It is kept in\n${file}\nfor you.`],
    ['keeps a command whole that is to be copied', 40, command, command],
    [
      'keeps commands whole inside a sentence',
      40,
      '  → memory-keeper restore restores it; to accept the loss: memory-keeper restore --accept rules.md, or type /memory-keeper:run restore --accept rules.md',
      '  → memory-keeper restore restores it;\n  to accept the loss:\n  memory-keeper restore --accept rules.md,\n  or type\n  /memory-keeper:run restore --accept rules.md',
    ],
    [
      'breaks what stands beside a command',
      50,
      '  memory-keeper uninstall    see what it would remove, and what stays',
      '  memory-keeper uninstall\n      see what it would remove, and what stays',
    ],
  ])('%s', (_, columns, given, shown) => {
    expect(wrapLines(given, columns)).toBe(shown)
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

/** What is printed when so many of 20 MB are done after so many seconds. */
function shownLate(
  isErrTerminal: boolean,
  inLines: boolean,
  steps: readonly (readonly [seconds: number, mb: number])[],
): string {
  let at = 0
  let err = ''
  const streams = {
    out: () => undefined,
    err: (text: string) => {
      err += text
    },
    isErrTerminal,
  }
  const world = { streams, now: () => new Date(at * 1000).toISOString() } as unknown as CliWorld
  const show = showLate(world, createOutput(streams, false), 'read', { inLines })
  for (const [seconds, mb] of steps) {
    at = seconds
    show(mb * 1e6, 20e6)
  }
  return err
}

const QUICK = [
  [0.1, 5],
  [0.3, 20],
] as const
const SLOW = [
  [0.5, 2],
  [1, 5],
  [2, 12],
  [6, 15],
  [8, 20],
] as const

it('progress is not shown for what is quickly done', () => {
  for (const isTerminal of [true, false]) expect(shownLate(isTerminal, true, QUICK)).toBe('')
})

it('progress is a bar on a terminal, ended once', () => {
  const bars = shownLate(true, false, SLOW).split('\r').slice(1)
  expect(bars.map((bar) => bar.replace(/^[█░]+ /, ''))).toEqual([
    ...['5/20 MB read', '12/20 MB read', '15/20 MB read', '20/20 MB read\n'],
  ])
})

it('progress is a line every few seconds where nothing can be written over, if at all', () => {
  expect(shownLate(false, true, SLOW)).toBe('15 of 20 MB read\n20 of 20 MB read\n')
  expect(shownLate(false, false, SLOW)).toBe('')
})

const SEOUL = { timezone: 'Asia/Seoul' }

/** Said at 23:30 on the 13th in UTC: the morning of the 14th in Seoul. */
const late = madeOnce(() => {
  const project = quietProject(SEOUL)
  const lines = linesFor(sessionId(1), project.root)
  const at = Date.parse('2026-01-13T23:30:00.000Z') - Date.parse('2026-01-13T09:00:00.000Z')
  append(project.transcriptOf(sessionId(1)), lines.prompt(at, 'Where is the harbour?') + lines.answer(at + 1, 'North.'))
  stop(project)
  runCommand(project, ['remember', 'decision: The harbour lies in the north.'])
  return project
})

describe('a time on the screen', () => {
  it.each([
    ['sessions'],
    ['show', '00000001'],
    ['search', 'harbour', '--deep'],
    ['timeline', '00000001'],
    ['status'],
    ['undo', '--list'],
    ['notes'],
  ])('%s %s has local times and names the zone at most once', (...line) => {
    const { out } = runCommand(late(), line)

    expect(out).not.toContain('23:30')
    expect(out).not.toContain('UTC')
    expect(out.split('Times are in Asia/Seoul.').length).toBeLessThanOrEqual(2)
    if (line[0] === 'sessions') expect(out).toMatch(/2026-01-14 08:30(?:.|\n)*\nTimes are in Asia\/Seoul\.\n$/)
  })

  it('is UTC in JSON and files', () => {
    expect(runCommandJson(late(), ['sessions']).json.sessions[0].startedAt).toMatch(/^2026-01-13T23:30:.*Z$/)
    expect(JSON.stringify(entriesIn(late().memory))).toContain('"2026-01-13T23:30:')
  })
})

describe('a day', () => {
  it.each([
    ['2026-01-14', 1],
    ['2026-01-13', 0],
  ])('%s begins and ends on the user’s clock', (day, found) => {
    const { json } = runCommandJson(late(), ['search', 'harbour', '--layer', 'L1', '--since', day, '--until', day])
    expect(json.hits).toHaveLength(found)
    expect(runCommand(late(), ['timeline', day]).out.includes('harbour')).toBe(found > 0)
  })
})
