/** Facts that a model extracts: checked, saved unaudited with their proof, joined, confirmed by verdicts, and never lost or doubled by a kill. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../../../src/core/grounding/audit.ts'
import { checkPiece, openPiece, savePiece, settleFacts } from '../../../../src/core/knowledge/disk/facts.ts'
import { readConcepts, readFacts, writeFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { questionsIn } from '../../../../src/core/knowledge/fact-audit.ts'
import type { Draft } from '../../../../src/core/knowledge/fact-draft.ts'
import { type Fact, isTold } from '../../../../src/core/knowledge/item.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { handOut } from '../../../../src/core/notes/disk/handout.ts'
import { noteByCode, saveNote } from '../../../../src/core/notes/disk/notes.ts'
import { cutSession } from '../../../../src/core/notes/pending.ts'
import { lookUp } from '../../../../src/core/search/disk/lookup.ts'
import { openStore, type Store, stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { workName } from '../../../../src/kernel/memory/work-item.ts'
import { PIECE_TOKENS } from '../../../../src/kernel/sessions/delta.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { decide, EXPORT, handed, MONEY, NOTE, PIECE, piecesOfClaude, STORAGE } from '../../../support/decided.ts'
import { itemsOf, fact as known, listed } from '../../../support/fact.ts'
import { Killed, killingDisk } from '../../../support/killing-disk.ts'
import { locked, owe } from '../../../support/notes.ts'
import { append, fastDir, linesFor, NOW, now, quietProject, sessionId, storeOf } from '../../../support/project.ts'

const ALL = [STORAGE, EXPORT, MONEY]

/** False: the piece does not wait. */
function save(store: Store, drafts: readonly Draft[], piece = PIECE): boolean {
  return locked(store, () => {
    const open = openPiece(store, piece)
    if (open !== null) savePiece(store, open, checkPiece(store, open, drafts, 'agent'), 'agent', NOW)
    return open !== null
  })
}

/** The same verdict on all that waits. */
function judge(store: Store, verdict: Verdict): void {
  const verdicts = questionsIn(readFacts(store)).map((question) => ({ question, verdict }))
  locked(store, () => settleFacts(store, verdicts, NOW))
}

function textsOf(store: Store): string[] {
  return allFacts(readFacts(store)).map(({ text }) => text)
}

describe('a piece that is handed out', () => {
  it('waits for its facts beside its note, and shows its entries with their numbers', () => {
    const { store } = handed()

    expect(piecesOfClaude(store.readState())).toEqual([PIECE])
    expect(openPiece(store, PIECE)).toMatchObject({ id: PIECE, session: '00000001' })
    expect(openPiece(store, PIECE)?.entries.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(openPiece(store, '00000001-0-5')).toBeNull()
  })

  it('is not asked about when nothing in it carries weight', () => {
    const project = quietProject({ summarizer: 'agent' }, fastDir())
    const store = storeOf(project)
    owe(store, project, 0, 20)
    locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, NOW))

    expect(piecesOfClaude(store.readState())).toEqual([])
  })

  it('is not asked about when the session has all the facts it may have', () => {
    const { store } = handed({ maxFactsPerSession: 0 })

    expect(piecesOfClaude(store.readState())).toEqual([])
  })

  it('is not asked about where code finds the facts, and its note is', () => {
    const { store } = handed({ summarizer: 'extractive', enforcement: 'block' })

    expect(store.readState().work.map((item) => [item.kind, workName(item), item.by])).toEqual([
      ['note', PIECE, 'agent'],
    ])
    expect(locked(store, () => saveNote(store, { delta: PIECE, text: NOTE, author: 'agent' }, NOW)).is).toBe('saved')
    expect(store.readState().work).toEqual([])
  })

  it('stays open when its note is saved first', () => {
    const { store } = handed()
    const saved = locked(store, () => saveNote(store, { delta: PIECE, text: NOTE, author: 'agent' }, NOW))

    expect(saved.is).toBe('saved')
    expect(piecesOfClaude(store.readState())).toEqual([PIECE])
    expect(save(store, ALL)).toBe(true)
  })

  it('stays beside the next one, which was handed out while it was open', () => {
    const { project, store } = handed()
    locked(store, () => saveNote(store, { delta: PIECE, text: NOTE, author: 'agent' }, NOW))
    const lines = linesFor(sessionId(1), project.root)
    append(
      project.transcriptOf(sessionId(1)),
      lines.prompt(9, 'We decided to run the linter before each commit, because reviews take long.') +
        lines.answer(10, 'I added the hook.'),
    )
    captureSession(
      store,
      { session: sessionId(1), transcript: project.transcriptOf(sessionId(1)), host: 1 },
      { waitMs: 5000, now },
    )
    locked(store, () => store.perform([stateEffect(cutSession(store.readState(), sessionId(1)))]))
    const next = locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, NOW))

    expect(piecesOfClaude(store.readState())).toEqual([PIECE, next?.id])
    save(store, ALL)
    expect(piecesOfClaude(store.readState())).toEqual([next?.id])
  })

  it('is over when code wrote the note', () => {
    const { store } = handed()
    locked(store, () => noteByCode(store, NOW))

    expect(piecesOfClaude(store.readState())).toEqual([])
    expect(save(store, ALL)).toBe(false)
  })
})

describe('facts', () => {
  it('are kept with whose words prove them, their concept and the way to their source', () => {
    const { store } = handed()
    save(store, ALL)

    const { decisions, issues } = listed(readFacts(store))
    expect(decisions).toMatchObject([
      {
        id: 'd001',
        text: STORAGE.text,
        reason: STORAGE.reason,
        session: '00000001',
        evidence: { entry: 0, quote: STORAGE.quote, by: 'user' },
        concept: 'c001',
        by: 'agent',
        state: 'fresh',
        unaudited: true,
      },
      { text: MONEY.text, evidence: { entry: 5, by: 'user' }, by: 'agent' },
    ])
    expect(issues).toMatchObject([{ text: EXPORT.text, status: 'resolved', resolution: EXPORT.resolution }])
    expect(readConcepts(store).concepts.map(({ name }) => name)).toEqual([
      'invoice storage',
      'invoice export',
      'amounts of money',
    ])
    expect(lookUp(store, 'd001', 0)?.source).toContain('L1:00000001#0')
    expect(piecesOfClaude(store.readState())).toEqual([])
  })

  it('stand in the file of their session as facts.json has them, and not when they are refused', () => {
    for (const verdict of ['yes', 'no'] as const) {
      const { project, store } = handed()
      const shown = (): string[] => {
        const dir = path.join(project.memory, 'sessions')
        const [file] = fs.readdirSync(dir).filter((name) => name.endsWith('.l2.json'))
        if (file === undefined) return []
        const { session, facts } = JSON.parse(fs.readFileSync(path.join(dir, file), 'utf8'))
        expect(session).toBe('00000001')
        return facts.map(({ id, text }: { id: string; text: string }) => `${id} ${text}`)
      }
      const known = (): string[] => allFacts(readFacts(store)).map(({ id, text }) => `${id} ${text}`)
      save(store, ALL)
      expect(shown().sort()).toEqual(known().sort())
      expect(shown()).toHaveLength(3)
      judge(store, verdict)

      expect(allFacts(readFacts(store)).map(isTold)).toEqual(verdict === 'yes' ? [true, true, true] : [])
      expect(shown().sort()).toEqual(known().sort())
    }
  })

  it('have room in every piece: the least of the same session go', () => {
    const { store } = handed({ maxFactsPerSession: 2 })
    save(store, ALL)
    judge(store, 'yes')

    expect(textsOf(store)).toEqual([MONEY.text, EXPORT.text].filter((text) => textsOf(store).includes(text)))
    expect(textsOf(store)).toHaveLength(2)
  })

  it('leave a file of their session alone that is not made from them', () => {
    const { project, store } = handed()
    const dir = path.join(project.memory, 'sessions')
    const [session] = fs.readdirSync(dir).filter((name) => name.endsWith('.l1.jsonl'))
    const file = path.join(dir, (session ?? '').replace('.l1.jsonl', '.l2.json'))
    fs.writeFileSync(file, '{"facts": [ by hand, broken')
    save(store, ALL)

    expect(fs.readFileSync(file, 'utf8')).toBe('{"facts": [ by hand, broken')
  })

  it('hold no secret that a model repeats', () => {
    const { store } = handed()
    const secret = `ghp_${'a1B2'.repeat(9)}`
    save(store, [{ ...STORAGE, reason: `the token is ${secret}` }])

    expect(JSON.stringify(readFacts(store))).not.toContain(secret)
  })
})

describe('a later fact', () => {
  /** The same session again, under another name, with the facts of the first one known. */
  function second(): { store: Store } {
    const { project, store } = handed()
    save(store, [STORAGE, { ...EXPORT, status: 'open' }, MONEY])
    judge(store, 'yes')
    locked(store, () => saveNote(store, { delta: PIECE, text: NOTE, author: 'agent' }, NOW))
    decide(store, project, sessionId(2))
    locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, NOW))
    return { store }
  }

  function saveSecond(store: Store, drafts: readonly Draft[], verdict: Verdict = 'yes'): void {
    expect(save(store, drafts, '00000002-0-7')).toBe(true)
    judge(store, verdict)
  }

  it('that says the same joins the first one', () => {
    const { store } = second()
    const before = textsOf(store).length
    saveSecond(store, [{ ...MONEY, conceptName: 'amounts of money' }])

    expect(textsOf(store).length).toBe(before)
    expect(listed(readFacts(store)).decisions.find(({ text }) => text === MONEY.text)?.also).toContain('00000002#5')
  })

  it('closes the issue it names, with its words, and begins no other', () => {
    const { store } = second()
    const open = listed(readFacts(store)).issues.find(({ status }) => status === 'open')
    expect(open).toBeDefined()
    const { conceptName: _, ...solved } = EXPORT
    saveSecond(store, [{ ...solved, conceptId: open?.concept ?? '', resolves: open?.id ?? '' }])

    expect(listed(readFacts(store)).issues).toMatchObject([
      { id: open?.id, status: 'resolved', resolution: EXPORT.resolution, closedBy: { session: '00000002' } },
    ])
  })

  const CENTS = 'The user wants all amounts stored in cents.'

  /** Known before: what the second session says otherwise. */
  function withOlder(store: Store, more: Partial<Fact> = {}): void {
    const older = known({
      id: 'd100',
      text: 'All amounts are stored as floats in the ledger.',
      session: 'aaaaaaaa',
      ...more,
    })
    locked(store, () => {
      const before = readFacts(store)
      writeFacts(store, before, itemsOf({ ...listed(before), decisions: [older, ...listed(before).decisions] }), NOW)
    })
  }

  it('of the user replaces an earlier decision, with who and when', () => {
    const { store } = second()
    withOlder(store)
    saveSecond(store, [{ ...MONEY, text: CENTS, supersedes: 'd100' }])
    const { decisions } = listed(readFacts(store))

    expect(decisions.find(({ id }) => id === 'd100')).toMatchObject({
      state: 'superseded',
      judged: { other: decisions.find(({ text }) => text === CENTS)?.id },
    })
  })

  it('of Claude alone changes nothing of what the user decided', () => {
    const { store } = second()
    withOlder(store)
    const before = listed(readFacts(store)).decisions
    const claude: Draft = {
      type: 'decision',
      text: 'All amounts are stored in cents now.',
      quote: 'All amounts are stored in cents now.',
      conceptName: 'money columns',
      supersedes: 'd100',
    }
    saveSecond(store, [claude])

    expect(
      listed(readFacts(store))
        .decisions.slice(0, before.length)
        .map(({ also: _, ...one }) => one),
    ).toEqual(before)
  })

  it('replaces and solves nothing where the audit says no', () => {
    const { store } = second()
    const storage = listed(readFacts(store)).decisions.find(({ text }) => text === STORAGE.text)
    const open = listed(readFacts(store)).issues.find(({ status }) => status === 'open')
    saveSecond(
      store,
      [{ ...MONEY, text: 'Amounts are floats never.', supersedes: storage?.id ?? '', resolves: open?.id ?? '' }],
      'no',
    )

    expect(listed(readFacts(store)).decisions.find(({ id }) => id === storage?.id)?.state).toBe('fresh')
    expect(listed(readFacts(store)).issues.find(({ id }) => id === open?.id)?.status).toBe('open')
  })
})

/** Concepts, facts, the file of the session, the state. */
const KILLS = [0, 1, 2, 3].flatMap((after) => (['before', 'after', 'partial'] as const).map((how) => ({ after, how })))

describe('a kill while facts are saved', () => {
  it('loses none and doubles none, wherever it happens', () => {
    for (const kill of KILLS) {
      const { project, store } = handed()
      const killed = openStore(project.places, { now, disk: killingDisk([kill]) })
      expect(() => save(killed, ALL)).toThrow(Killed)
      save(storeOf(project), ALL)
      const facts = allFacts(readFacts(store))

      expect(facts.map(({ text }) => text).sort()).toEqual(ALL.map(({ text }) => text).sort())
      expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length)
      expect(readConcepts(store).concepts).toHaveLength(3)
      expect(piecesOfClaude(store.readState())).toEqual([])
    }
  })
})
