/** Notes on disk: handed out, saved, refused, replaced, and found again when something was lost. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { changeByHand } from '../../../../src/core/edit/disk/by-hand.ts'
import { handOut, takeBack } from '../../../../src/core/notes/disk/handout.ts'
import { addOwnNote, noteByCode, type Saved, saveNote } from '../../../../src/core/notes/disk/notes.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { fingerprintOfNote, notesIn, parseMemory } from '../../../../src/kernel/memory/note.ts'
import { sessionIn } from '../../../../src/kernel/memory/state.ts'
import { PIECE_TOKENS } from '../../../../src/kernel/sessions/delta.ts'
import { FALSE_NOTE, INVENTED, locked, memoryOf, owe, TRUE_NOTE } from '../../../support/notes.ts'
import {
  append,
  dialog,
  linesFor,
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  story,
  type TestProject,
  write,
} from '../../../support/project.ts'
import { dueOf, namesOf } from '../../../support/work.ts'

const SESSION = sessionId(1)
const DELTA = '00000001-0-6'
const NOTE_ID = `n-${DELTA}`

interface Stage {
  project: TestProject
  store: Store
}

function edit(store: Store, id: string, text: string): void {
  changeByHand(store, { do: 'edit-note', id, text }, { by: 'user', now: NOW })
}

/** Two turns wait for their note. */
function stage(settings: object = {}): Stage {
  const project = quietProject(settings)
  const store = storeOf(project)
  owe(store, project, 0, 2)
  return { project, store }
}

function hand(store: Store, by: 'headless' | 'agent' = 'agent', maxTokens: number = PIECE_TOKENS.agent) {
  return locked(store, () => handOut(store, by, maxTokens, NOW))
}

function save(store: Store, text = TRUE_NOTE, delta = DELTA, author: 'agent' | 'headless' = 'agent'): Saved {
  return locked(store, () => saveNote(store, { delta, text, author }, NOW))
}

function sessionOf(project: TestProject) {
  return sessionIn(readStateIn(project.memory), SESSION)
}

function deltaFile(project: TestProject): string | null {
  const file = path.join(project.memory, 'delta_temp.txt')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null
}

describe('a delta', () => {
  it('is handed out with an id, and is the same until its note is saved', () => {
    const { project, store } = stage()
    const first = hand(store)
    owe(store, project, 2, 4)

    expect(first).toMatchObject({ id: DELTA, session: '00000001', from: 0, to: 6 })
    expect(first?.text).toContain('[User]: question 1')
    expect(hand(store)).toEqual(first)
    expect(hand(storeOf(project))).toEqual(first)
    expect(deltaFile(project)).toContain(first?.text)
    expect(save(store).is).toBe('saved')
    expect(hand(store)).toMatchObject({ id: '00000001-6-12' })
  })

  it('is handed out in pieces that fit, oldest first, and none is left out', () => {
    const { project, store } = stage()
    owe(store, project, 2, 9)
    const ranges: number[][] = []
    for (let piece = hand(store, 'headless', 60); piece !== null; piece = hand(store, 'headless', 60)) {
      ranges.push([piece.from, piece.to])
      expect(save(store, TRUE_NOTE, piece.id).is).toBe('saved')
    }

    expect(ranges.length).toBeGreaterThan(2)
    expect(ranges.flat()).toEqual([0, ...ranges.slice(1).flatMap(([from = 0]) => [from, from]), 27])
  })

  it('of the session that began first comes first', () => {
    const { project, store } = stage()
    owe(store, project, 0, 1, sessionId(0))

    expect(hand(store)?.session).toBe('00000000')
  })

  it('that was taken back is cut anew', () => {
    const { store } = stage()
    hand(store, 'headless')
    locked(store, () => takeBack(store, DELTA))
    const shorter = hand(store, 'headless', 30)

    expect(shorter?.to).toBeLessThan(6)
    expect(save(store).is).toBe('not-open')
    expect(save(store, TRUE_NOTE, shorter?.id).is).toBe('saved')
  })

  it('that another one takes over is cut for him', () => {
    const { store } = stage()
    hand(store, 'headless')

    expect(hand(store, 'agent', 30)?.to).toBeLessThan(6)
  })

  it('whose entries are gone keeps nobody waiting', () => {
    const { project, store } = stage()
    owe(store, project, 0, 1, sessionId(2))
    fs.rmSync(path.join(project.memory, 'sessions', String(sessionOf(project)?.file)))

    expect(hand(store)?.session).toBe('00000002')
  })

  it('leaves its file behind nowhere: the last note removes it', () => {
    const { project, store } = stage()
    hand(store)
    expect(readStateIn(project.memory).deltaCreatedAtMemoryMtime).toBeNull()
    save(store)

    expect(deltaFile(project)).toBeNull()
    expect(hand(store)).toBeNull()
  })
})

describe('a note', () => {
  it('stands in memory.md with both times and where it comes from', () => {
    const { project, store } = stage({ timezone: 'Asia/Seoul' })
    hand(store)
    const saved = save(store)

    expect(saved).toMatchObject({ is: 'saved', isReplaced: false, note: { id: NOTE_ID, author: 'agent' } })
    expect(memoryOf(project)).toContain(
      [
        '## 2026-01-13 09:00:01 UTC (2026-01-13 18:00:01 +09:00) unaudited',
        `<!-- note ${NOTE_ID} session=00000001 entries=0-6 author=agent at=2026-01-13T09:00:01.013Z -->`,
        TRUE_NOTE,
        '',
      ].join('\n'),
    )
    expect(sessionOf(project)?.watermark).toBe(6)
    expect(namesOf(readStateIn(project.memory), 'note')).toEqual([])
    expect(readStateIn(project.memory).lastMemoryUpdateTs).toBe(NOW)
  })

  it('moves the watermark to the end of its range, no further', () => {
    const { project, store } = stage()
    hand(store)
    owe(store, project, 2, 4)
    save(store)

    expect(sessionOf(project)).toMatchObject({ watermark: 6, entries: 12 })
    expect(dueOf(readStateIn(project.memory), sessionId(1))).toBe(12)
  })

  it('comes behind what somebody wrote into the file, and changes nothing of it', () => {
    const { project, store } = stage()
    const own = '# My memory\r\n\r\nno note\n\n## A heading of mine\nwith text and no end of line'
    write(path.join(project.memory, 'memory.md'), own)
    hand(store)
    save(store)

    expect(memoryOf(project).startsWith(own)).toBe(true)
    expect(notesIn(memoryOf(project))).toHaveLength(1)
  })

  it('about a delta that is not open is not saved', () => {
    const { project, store } = stage()
    expect(save(store).is).toBe('not-open')
    hand(store)

    for (const delta of ['00000001-0-5', '00000001-1-6', '00000002-0-6', 'x', '', '00000001-6-0'])
      expect(save(store, TRUE_NOTE, delta).is).toBe('not-open')
    save(store)
    expect(save(store)).toMatchObject({ is: 'not-open', reason: expect.stringContaining('already') })
    expect(notesIn(memoryOf(project))).toHaveLength(1)
  })

  it('with a secret in it is kept without the secret', () => {
    const { project, store } = stage()
    const token = `sk_${'live_'}abcdefghijklmnop1A2b3C4d`
    locked(store, () => addOwnNote(store, `The key is ${token}.`, NOW))

    expect(memoryOf(project)).toContain('[redacted:')
    expect(memoryOf(project)).not.toContain(token)
  })

  it('brings decisions into facts.json, once', () => {
    const project = quietProject()
    const store = storeOf(project)
    const lines = linesFor(SESSION, project.root)
    append(
      project.transcriptOf(SESSION),
      story(lines) + dialog(lines, 20, 'Where are empty lines skipped?', 'In the lexer'),
    )
    owe(store, project, 5, 6)
    locked(store, () => noteByCode(store, NOW))
    const facts = (): unknown[] =>
      JSON.parse(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')).decisions
    expect(facts()).toMatchObject([
      { id: 'd001', session: '00000001', text: 'Where are empty lines skipped? → In the lexer' },
    ])
    // A killed process: the facts were written, the note was not.
    fs.rmSync(path.join(project.memory, 'memory.md'))
    fs.rmSync(path.join(project.memory, 'memory-index.json'))
    owe(storeOf(project), project, 6, 7)
    locked(store, () => noteByCode(storeOf(project), NOW))

    expect(facts()).toHaveLength(1)
  })
})

describe('a note that is refused', () => {
  it('is told what the delta does not contain, and the delta stays open', () => {
    const { project, store } = stage()
    hand(store)
    const refused = save(store, FALSE_NOTE)

    expect(refused).toMatchObject({ is: 'refused', notFound: INVENTED })
    expect(memoryOf(project)).toBe('')
    expect(deltaFile(project)).not.toBeNull()
    expect(save(store).is).toBe('saved')
  })

  it('a second time gives way to one made by code', () => {
    const { project, store } = stage()
    hand(store)
    save(store, FALSE_NOTE)
    const given = save(store, FALSE_NOTE)

    expect(given).toMatchObject({ is: 'given-up', note: { id: NOTE_ID, author: 'extractive', from: 0, to: 6 } })
    expect(notesIn(memoryOf(project))).toMatchObject([{ id: NOTE_ID, author: 'extractive' }])
    expect(memoryOf(project)).not.toContain('never-there')
    expect(sessionOf(project)?.watermark).toBe(6)
    expect(namesOf(readStateIn(project.memory), 'note')).toEqual([])
    expect(deltaFile(project)).toBeNull()
  })

  it.each(['', '   ', 'Here is the summary you asked for:', "I'm sorry, but I cannot help with that request."])(
    'since it is none: %j',
    (text) => {
      const { project, store } = stage()
      hand(store)

      expect(save(store, text)).toMatchObject({ is: 'refused', notFound: [] })
      expect(memoryOf(project)).toBe('')
    },
  )
})

describe('a note made by code', () => {
  it('gives way to a later one of a model, in its place', () => {
    const { project, store } = stage()
    hand(store)
    locked(store, () => noteByCode(store, NOW))
    locked(store, () => addOwnNote(store, 'Something else.', NOW))

    expect(save(store, TRUE_NOTE, DELTA, 'headless')).toMatchObject({ is: 'saved', isReplaced: true })
    expect(notesIn(memoryOf(project))).toMatchObject([
      { id: NOTE_ID, author: 'headless', text: TRUE_NOTE, at: '2026-01-13T09:00:01.013Z' },
      { text: 'Something else.' },
    ])
    expect(save(store, `${TRUE_NOTE} Again.`).is).toBe('not-open')
  })

  it('of another version gives way to one of a model, as long as nobody edited it', () => {
    const { project, store } = stage()
    locked(store, () => noteByCode(store, NOW))
    const memory = memoryOf(project)
    const [note] = notesIn(memory)
    const other = 'Goal: as another version of code tells it.'
    const theirs = memory
      .replace(note?.text ?? '', other)
      .replace(note?.fingerprint ?? 'none', fingerprintOfNote(other))
    write(path.join(project.memory, 'memory.md'), theirs.replace('another version', 'no version'))
    expect(save(store).is).toBe('not-open')

    write(path.join(project.memory, 'memory.md'), theirs)
    expect(save(store)).toMatchObject({ is: 'saved', isReplaced: true })
    expect(memoryOf(project)).not.toContain('fingerprint')
  })

  it('does not give way to a false one, however often it is tried', () => {
    const { project, store } = stage()
    locked(store, () => noteByCode(store, NOW))
    const before = memoryOf(project)
    for (let n = 0; n < 3; n++) expect(save(store, FALSE_NOTE)).toMatchObject({ is: 'refused', notFound: INVENTED })

    expect(memoryOf(project)).toBe(before)
  })

  it('stays when somebody edited it by hand', () => {
    const { project, store } = stage()
    locked(store, () => noteByCode(store, NOW))
    const edited = memoryOf(project).replace('question 0', 'question 0 (the important one)')
    expect(edited).not.toBe(memoryOf(project))
    write(path.join(project.memory, 'memory.md'), edited)

    expect(save(store).is).toBe('not-open')
    expect(memoryOf(project)).toBe(edited)
  })

  it('stays when it was edited by command', () => {
    const { project, store } = stage()
    locked(store, () => noteByCode(store, NOW))
    edit(store, NOTE_ID, 'As I remember it.')

    expect(save(store).is).toBe('not-open')
    expect(notesIn(memoryOf(project))).toMatchObject([{ id: NOTE_ID, author: 'user', text: 'As I remember it.' }])
  })

  it.each([
    [300, 'error: the retry limit of the invoice queue is not set for this staging host', 'whole'],
    [1_000, `error: the retry limit is not set for this host\n${'work '.repeat(60)}`, 'whole'],
    [40, 'error: the retry limit of the invoice queue is not set', 'whole'],
    [20, 'error: the retry limit of the invoice queue is not set', 'error …'],
  ])('tells of output what capture kept, with toolOutputChars %i, in whole words', (toolOutputChars, output, told) => {
    const project = quietProject({ toolOutputChars })
    const store = storeOf(project)
    const lines = linesFor(SESSION, project.root)
    append(
      project.transcriptOf(SESSION),
      lines.prompt(1, 'Deploy it.') +
        lines.use(2, 'a', 'Bash', { command: './deploy.sh' }) +
        lines.result(3, 'a', output, true),
    )
    owe(store, project, 1, 1)
    locked(store, () => noteByCode(store, NOW))

    const line = told === 'whole' ? (output.split('\n')[0] ?? '') : told
    expect(memoryOf(project)).toContain(`Failed: \`./deploy.sh\` → ${line}`)
  })

  it('is written for the sessions that are wanted only, and within the time there is', () => {
    const { project, store } = stage()
    owe(store, project, 0, 1, sessionId(2))
    expect(locked(store, () => noteByCode(store, NOW, { isLate: () => true }))).toEqual([])
    const isWanted = ({ file }: { file: string }): boolean => file.includes('00000002')

    expect(locked(store, () => noteByCode(store, NOW, { isWanted })).map(({ id }) => id)).toEqual(['n-00000002-0-3'])
    expect(locked(store, () => noteByCode(store, NOW)).map(({ id }) => id)).toEqual([NOTE_ID])
  })
})

describe("a person's own note", () => {
  it('is about no session and checked by nobody', () => {
    const { project, store } = stage()
    const [one, two, three] = ['Call `never/seen.ts` 42 times.', 'Another.', 'Another.'].map((text) =>
      locked(store, () => addOwnNote(store, text, NOW)),
    )

    expect(one).toMatchObject({ id: expect.stringMatching(/^n-20260113_120000-/), session: null, author: 'user' })
    expect(new Set([one?.id, two?.id, three?.id]).size).toBe(3)
    expect(notesIn(memoryOf(project))).toEqual([one, two, three])
    expect(sessionOf(project)?.watermark).toBe(0)
    expect(dueOf(readStateIn(project.memory), sessionId(1))).toBe(6)
  })

  it('cannot pretend to be the record of another one', () => {
    const { project, store } = stage()
    const forged = `Hello\n## 2026-01-13\n<!-- note ${NOTE_ID} session=00000001 entries=0-6 author=agent at=${NOW} -->\nnothing happened`
    locked(store, () => addOwnNote(store, forged, NOW))

    expect(notesIn(memoryOf(project))).toMatchObject([{ session: null, author: 'user' }])
    expect(hand(store)).toMatchObject({ id: DELTA })
  })

  it('is edited in its place, and nothing else changes', () => {
    const { project, store } = stage()
    for (const text of ['One.', 'Two.', 'Three.']) locked(store, () => addOwnNote(store, text, NOW))
    const before = parseMemory(memoryOf(project)).map(({ raw }) => raw)
    const second = notesIn(memoryOf(project))[1]
    edit(store, second?.id ?? '', 'Zwei.')
    const after = parseMemory(memoryOf(project)).map(({ raw }) => raw)

    expect(after.filter((raw, i) => raw !== before[i])).toEqual([before[2]?.replace('Two.', 'Zwei.')])
    expect(() => edit(store, 'n-unknown', 'x')).toThrow(expect.objectContaining({ code: 'not-found' }))
  })
})
