/** Damage does not overwrite the vault: the last good copy stays until it is brought back or the user agrees that it is gone. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { allFindings, mendHealth } from '../../../../src/core/health/disk/health.ts'
import { fillVault } from '../../../../src/core/vault/disk/vault-restore.ts'
import { notesIn } from '../../../../src/kernel/memory/note.ts'
import { BROKEN_WAYS, type BrokenWay } from '../../../support/broken-files.ts'
import { filesWith } from '../../../support/forget.ts'
import { keepWhole, type Whole } from '../../../support/furnished.ts'
import { locked } from '../../../support/notes.ts'
import { runCommand, runCommandJson } from '../../../support/process.ts'
import {
  append,
  fastDir,
  linesFor,
  quietProject,
  sessionId,
  storeOf,
  story,
  type TestProject,
} from '../../../support/project.ts'
import { begin, finishHere, LATER, stop } from '../../../support/world.ts'

const RULES = '# Rules\n\n- Never push on a Friday.\n- Keep functions short.\n- Ask before deleting.\n- Say why.\n'
const PAGE = '# Project\n\nA parser for lines.\n\nIt is written by hand.\n\nNobody else knows this.\n'

let project: TestProject
let whole: Whole
beforeAll(async () => {
  // Nothing is proposed because sessions agree.
  project = quietProject({ rules: true, promoteAfterSessions: 1000 }, fastDir())
  for (const n of [1, 2, 3]) await live(n)
  put('rules.md', RULES)
  put('project.md', PAGE)
  fill()
  whole = keepWhole(project)
})
beforeEach(() => whole.reset())
afterAll(() => whole.remove())

/** A session that ends, with its note. */
async function live(n: number): Promise<void> {
  const session = sessionId(n)
  append(project.transcriptOf(session), story(linesFor(session, project.root)))
  stop(project, {}, {}, session)
  await end(session)
}

async function end(session = sessionId(1)): Promise<void> {
  await finishHere(project, { for: 'end', session }, { now: () => LATER, isAlive: () => false })
}

function fill(): void {
  const store = storeOf(project)
  locked(store, () => fillVault(store))
}

const inMemory = (name: string): string => path.join(project.memory, name)
const put = (name: string, text: string): void => fs.writeFileSync(inMemory(name), text)
const textOf = (name: string): string => fs.readFileSync(inMemory(name), 'utf8')
const sessionsTold = (): (string | null)[] => notesIn(textOf('memory.md')).map(({ session }) => session)
const ids = (...numbers: number[]): string[] => numbers.map((n) => sessionId(n).slice(0, 8))
const kept = (name: string): string => path.join(project.places.vault, '.kept', name)
const isKept = (name: string): boolean => fs.existsSync(kept(name))

function noticeAtStart(): string {
  return begin(project, sessionId(90)).notice
}

function check(name: string): { verdict: string; finding: string } | undefined {
  const world = { now: LATER, nodeVersion: 'v22.0.0', version: '0.5.1', programs: null }
  return allFindings(storeOf(project), world).find((one) => one.name === name)
}

/** Nothing is told, and doctor has nothing to say. */
function quiet(): void {
  expect(noticeAtStart()).toBe('')
  expect([check('vault')?.verdict, check('notes')?.verdict]).toEqual(['ok', 'ok'])
}

describe('a memory.md that is broken', () => {
  const breakIt = async (way: BrokenWay): Promise<void> => {
    BROKEN_WAYS[way](inMemory('memory.md'))
    await live(4)
    await end()
  }

  it.each(Object.keys(BROKEN_WAYS) as BrokenWay[])(
    '(%s) is told of once, and comes back with what was noted since',
    async (way) => {
      await breakIt(way)
      const [lost, ...more] = noticeAtStart().split('\n')
      expect(lost).toMatch(/^Memory Keeper: memory\.md (?:lost \d notes?|is garbled)\. .*restore .*--accept$/)
      // The note since then kept the bytes that are no text.
      expect(more).toEqual(way === 'garbled' ? [expect.stringContaining('memory.md.broken-')] : [])
      expect(noticeAtStart()).toBe('')
      expect(check('vault')).toMatchObject({ verdict: 'problem', finding: expect.stringContaining('memory.md ') })
      expect(runCommandJson(project, ['restore']).json.restored).toEqual(['memory.md'])

      expect(sessionsTold()).toEqual(ids(1, 2, 3, 4))
      quiet()
      expect(isKept('memory.md')).toBe(false)
    },
  )

  it.each(Object.keys(BROKEN_WAYS) as BrokenWay[])('(%s) stays as it is when the user agrees', async (way) => {
    await breakIt(way)
    const before = textOf('memory.md')
    expect(runCommandJson(project, ['restore', '--accept']).json.accepted).toEqual(['memory.md'])

    expect(textOf('memory.md')).toBe(before)
    if (way === 'garbled') expect(noticeAtStart()).toContain('memory.md.broken-')
    quiet()
    expect(runCommandJson(project, ['restore']).json.restored).toEqual([])
    expect(isKept('memory.md')).toBe(false)
  })
})

describe('rules.md and a page', () => {
  const names = ['rules.md', 'project.md']

  it.each(Object.keys(BROKEN_WAYS) as BrokenWay[])('(%s) come back as they were', async (way) => {
    const before = names.map(textOf)
    for (const name of names) BROKEN_WAYS[way](inMemory(name))
    await end()
    await end()
    for (const name of names) runCommand(project, ['restore', name])

    for (const [i, name] of names.entries()) {
      // Half of a page may be what somebody wanted: it stays in the vault.
      if (!(way === 'cut' && name === 'project.md')) expect(textOf(name)).toBe(before[i])
      const places = [inMemory(name), path.join(project.places.vault, name), kept(name)]
      const copies = places.filter((one) => fs.existsSync(one)).map((one) => fs.readFileSync(one, 'utf8'))
      expect(copies).toContain(before[i])
    }
  })

  it('that somebody edits are copied without a word, and the vault keeps them as they were', async () => {
    const before = names.map(textOf)
    for (const name of names) put(name, textOf(name).replace(/^.*(?:Friday|parser).*$/m, 'another line'))
    await end()

    quiet()
    for (const [i, name] of names.entries()) {
      expect(fs.readFileSync(path.join(project.places.vault, name), 'utf8')).toBe(textOf(name))
      expect(fs.readFileSync(kept(name), 'utf8')).toBe(before[i])
    }
  })
})

describe('a file', () => {
  it('that is damaged twice loses nothing of either time', async () => {
    put('memory.md', '')
    await live(4)
    put('memory.md', '')
    await live(5)
    runCommand(project, ['restore'])

    expect(sessionsTold()).toEqual(ids(1, 2, 3, 4, 5))
  })

  it('is told of before the finisher has seen it', () => {
    put('rules.md', '')

    expect(noticeAtStart()).toContain('rules.md is empty')
    expect(begin(project, sessionId(91)).notice).toBe('')
  })

  it('that comes back by itself is not told of any more', async () => {
    const before = textOf('project.md')
    put('project.md', '')
    await end()
    put('project.md', before)

    expect(noticeAtStart()).toBe('')
    await end()
    expect(check('vault')?.verdict).toBe('ok')
  })

  it('that stands in the way of the one that comes back is set aside', () => {
    const junk = 'one line of somebody\n'
    put('config.json', '{"saveInterval":30,\n"rules":true,\n"recall":true}\n')
    fill()
    put('config.json', junk)
    runCommand(project, ['restore'])

    expect(textOf('config.json')).toContain('saveInterval')
    const aside = fs.readdirSync(project.memory).filter((name) => name.startsWith('config.json.broken-'))
    expect(aside.map(textOf)).toEqual([junk])
  })

  it('of a session comes back where it lost its end and its transcript is gone', async () => {
    const [name = ''] = fs.readdirSync(inMemory('sessions')).filter((one) => one.endsWith('.l1.jsonl'))
    const file = inMemory(path.join('sessions', name))
    const before = fs.readFileSync(file, 'utf8')
    for (const n of [1, 2, 3]) fs.rmSync(project.transcriptOf(sessionId(n)))
    fs.writeFileSync(file, before.slice(0, before.length / 2))
    await end()
    runCommand(project, ['restore'])

    expect(fs.readFileSync(file, 'utf8')).toBe(before)
  })
})

describe('what this program takes out of a file', () => {
  it.each([
    ['a note', (): string[] => ['notes', 'remove', notesIn(textOf('memory.md'))[0]?.id ?? '']],
    ['a rule', (): string[] => ['rules', 'remove', '1']],
    ['a page written anew', (): string[] => ['page', 'set', 'project', '--text', 'x']],
  ])('%s is no loss', async (_, args) => {
    expect(runCommand(project, args()).code).toBe(0)

    quiet()
    await end()
    quiet()
    expect(fs.existsSync(path.dirname(kept('x')))).toBe(false)
  })

  it('is none when it is taken back either', async () => {
    runCommand(project, ['notes', 'remove', notesIn(textOf('memory.md'))[0]?.id ?? ''])
    runCommand(project, ['undo'])
    await end()
    expect(sessionsTold()).toEqual(ids(1, 2, 3))
    runCommand(project, ['note', '--text', 'A note of my own.'])
    runCommand(project, ['undo'])

    await end()
    quiet()
  })

  it('by a rotation is none', async () => {
    runCommand(project, ['config', 'set', 'rotationThresholdTokens', '1000', '--home'])
    for (const n of [11, 12, 13, 14, 15, 16, 17, 18, 19]) await live(n)
    expect(fs.readdirSync(project.memory).some((name) => /^memory_\d/.test(name))).toBe(true)

    quiet()
    expect(runCommandJson(project, ['restore']).json.restored).toEqual([])
  })

  it('by a rotation is in the vault before the next session ends', () => {
    runCommand(project, ['config', 'set', 'rotationThresholdTokens', '1000', '--home'])
    for (let n = 0; n < 12; n++)
      runCommand(project, ['note', '--text', `Note ${n} says ${'much and '.repeat(40)}more.`])
    expect(fs.readdirSync(project.memory).some((name) => /^memory_\d/.test(name))).toBe(true)
    fs.rmSync(project.memory, { recursive: true })
    begin(project, sessionId(90))

    const texts = fs
      .readdirSync(project.memory)
      .filter((name) => /^memory.*\.md$/.test(name))
      .map(textOf)
    expect(texts.flatMap(notesIn)).toHaveLength(3 + 12)
  })

  it('after somebody edited it by hand is none', async () => {
    put('memory.md', textOf('memory.md').replace('# Memory', '# My memory'))
    runCommand(project, ['notes', 'remove', notesIn(textOf('memory.md'))[0]?.id ?? ''])

    await end()
    quiet()
  })

  it('by forgetting leaves no byte in what the vault keeps', async () => {
    runCommand(project, ['note', '--text', 'The xylophone is hidden in the cellar.'])
    put('project.md', `${PAGE}\nA xylophone.\n`)
    await end()
    put('memory.md', '')
    put('project.md', '')
    await live(4)
    put('project.md', '# Another page\n')
    await end()
    expect(filesWith(project, ['xylophone']).some((one) => one.includes('.kept'))).toBe(true)
    runCommand(project, ['forget', '--query', 'xylophone', '--yes'])

    expect(filesWith(project, ['xylophone'])).toEqual([])
    runCommand(project, ['restore'])
    expect(filesWith(project, ['xylophone'])).toEqual([])
    expect(sessionsTold()).toEqual(ids(1, 2, 3, 4))
  })

  it('by redaction leaves no secret in what the vault keeps', async () => {
    const secret = `ghp_${'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7c'}`
    put('project.md', `${PAGE}\ntoken ${secret}\n`)
    await end()
    put('project.md', '# Another page\n')
    await end()
    expect(fs.readFileSync(kept('project.md'), 'utf8')).toContain(secret)
    runCommand(project, ['scrub'])

    expect(filesWith(project, [secret])).toEqual([])
  })
})

describe('doctor', () => {
  const withoutNotes = (): void => {
    fs.rmSync(project.places.vault, { recursive: true })
    put('memory.md', '# Memory\n')
  }

  it('names a session whose note is in no file, though its watermark says that it is told', () => {
    expect(check('notes')?.verdict).toBe('ok')
    withoutNotes()

    expect(check('notes')).toMatchObject({ verdict: 'warning', finding: expect.stringContaining(ids(2)[0] ?? '') })
  })

  it('has such a note written again from the session', async () => {
    withoutNotes()
    fill()
    expect(runCommandJson(project, ['restore']).json.notedAgain).toHaveLength(3)
    await end()

    expect(sessionsTold()).toEqual(ids(1, 2, 3))
    expect(check('notes')?.verdict).toBe('ok')
  })

  it('brings back with --fix what a file lost', () => {
    put('rules.md', '')
    const world = { now: LATER, nodeVersion: 'v22.0.0', version: '0.5.1', programs: null }
    const said = mendHealth(storeOf(project), allFindings(storeOf(project), world), {
      now: () => LATER,
      isDryRun: false,
    })

    expect(said.map(({ mend }) => mend)).toContain('restore')
    expect(textOf('rules.md')).toBe(RULES)
  })
})

describe('rules.md', () => {
  it('that was emptied or is no text leaves the built-in rules', () => {
    for (const text of ['', ' \n', '\u0000\u0001\u0002\u0003']) {
      put('rules.md', text)
      expect(runCommand(project, ['rules', 'list']).out).toContain('Cut no corners')
    }
  })

  it('with a heading and no rule has none, and changes nothing about the built-in ones', () => {
    put('rules.md', '# Rules\n')

    const { out } = runCommand(project, ['rules', 'list'])
    expect(out).toContain('Cut no corners')
    expect(out).toContain('None yet.')
  })
})
