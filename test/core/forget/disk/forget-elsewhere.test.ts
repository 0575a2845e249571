/** What other sessions said themselves stays when a session is forgotten, and is listed; what was derived from it goes. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ForgetWhat, performForget, planForget } from '../../../../src/core/forget/disk/forget.ts'
import { keepReceipt } from '../../../../src/core/receipts/disk/journal.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { notesIn } from '../../../../src/kernel/memory/note.ts'
import { listSessions } from '../../../../src/kernel/sessions/disk/sessions.ts'
import { filesWith, live, type Said } from '../../../support/forget.ts'
import { runCommand } from '../../../support/process.ts'
import { fastDir, makeProject, NOW, sessionId, storeOf, type TestProject, textsIn } from '../../../support/project.ts'

const ROUTINE = 'Please compare the tide tables of every pier with the harbour ledger and list what differs.'
const SECRET = 'The cormorant nests below the northern crane, which nobody but the harbour master may know.'
/** All of its words are said elsewhere, too. */
const SHORT = 'Compare every pier with the ledger.'

const asking = (n: number, answer: string): Said => ({
  session: sessionId(n),
  transcript: (l) =>
    l.prompt(n * 100, ROUTINE) + l.answer(n * 100 + 1, answer) + l.prompt(n * 100 + 2, 'Thank you, that is all.'),
})

function world(): { project: TestProject; store: Store } {
  const project = makeProject('app', fastDir())
  const store = live(project, [
    {
      session: sessionId(1),
      transcript: (l) => l.prompt(0, ROUTINE) + l.answer(1, SECRET) + l.prompt(2, SHORT) + l.answer(3, 'Done.'),
    },
    asking(2, 'Pier two differs by a hand.'),
    // Claude was told it.
    asking(3, `As remembered: ${SECRET} Nothing else differs.`),
  ])
  return { project, store }
}

const WHOLE: ForgetWhat = { is: 'session', session: sessionId(1) }

function forget(store: Store, what: ForgetWhat): void {
  expect(performForget(store, planForget(store, what), NOW).left).toEqual([])
}

describe('a prompt that was typed in three sessions', () => {
  it('stays in the other two, with their notes, when one session is forgotten', () => {
    const { project, store } = world()
    forget(store, WHOLE)
    expect(textsIn(project.memory).filter((text) => text === ROUTINE)).toHaveLength(2)
    const notes = notesIn(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8'))
    expect(notes.filter(({ text }) => text.includes('tide tables')).map(({ session }) => session)).toEqual([
      '00000002',
      '00000003',
    ])
    expect(
      listSessions(storeOf(project))
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['00000002', '00000003'])
  })

  it('is listed by session, and goes with a second yes for one, or with its words from all', () => {
    const { project, store } = world()
    expect(planForget(store, WHOLE).elsewhere).toEqual(['L1:00000002#0', 'L1:00000003#0'])
    const shown = runCommand(project, ['forget', '--session', '00000001']).out
    expect(shown).toContain('L1:00000002#0')
    expect(shown).toContain('L1:00000003#0')
    const done = runCommand(project, ['forget', '--session', '00000001', '--yes']).out
    expect(done).toContain('memory-keeper forget L1:00000002#0')
    forget(storeOf(project), { is: 'id', id: 'L1:00000002#0' })
    expect(textsIn(project.memory).filter((text) => text === ROUTINE)).toHaveLength(1)
    forget(storeOf(project), { is: 'query', query: 'harbour ledger' })
    expect(filesWith(project, ['harbour ledger'])).toEqual([])
  })
})

it('forget takes what Claude repeated in another session', () => {
  const { project, store } = world()
  forget(store, WHOLE)
  expect(filesWith(project, ['northern crane', 'cormorant'])).toEqual([])
})

it('forget deletes a receipt with an exact copy of a forgotten line, however short and common it is', () => {
  const { project, store } = world()
  const tell = (session: number, text: string): void =>
    keepReceipt(store, sessionId(session), { text, lines: [] as never })
  tell(7, `# Last session\n\n- Asked: ${SHORT}\n`)
  tell(8, `# Last session\n\n- Asked: Compare every pier.\n`)
  forget(store, WHOLE)
  const receipts = fs.readdirSync(path.join(project.memory, 'journal', 'briefings'))
  expect(receipts.filter((name) => name.startsWith(sessionId(7)))).toEqual([])
  expect(receipts.filter((name) => name.startsWith(sessionId(8)))).not.toEqual([])
})
