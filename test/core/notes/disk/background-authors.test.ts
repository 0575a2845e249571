/** A model that takes everybody's words for the user's, and confirms every claim: what it says about the user needs the user's entry. */

import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import type { Draft } from '../../../../src/core/knowledge/fact-draft.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { writeNotes } from '../../../../src/core/notes/disk/background.ts'
import { saveNote } from '../../../../src/core/notes/disk/notes.ts'
import { notesIn } from '../../../../src/kernel/memory/note.ts'
import { allSessions } from '../../../../src/kernel/memory/state.ts'
import { stageIn } from '../../../support/claude.ts'
import { decide, handed, PIECE } from '../../../support/decided.ts'
import { locked, memoryOf } from '../../../support/notes.ts'
import { fastDir, NOW, quietProject, storeOf } from '../../../support/project.ts'

const OF_USER = { sentence: 'The user wants all amounts stored in cents.', entry: 5 }
const OF_TOOL = { sentence: 'The user wants every export of 40 invoices uploaded.', entry: 3 }
const OF_CLAUDE = { sentence: 'The user wants the nightly job to skip invoices.', entry: 4 }
const OF_NOBODY = { sentence: 'The user wants floats to be gone.', entry: 99 }
const SHOWN = { sentence: 'The export wrote 40 invoices.', entry: 3 }

async function written(
  answer: object,
): Promise<{ note: string; stands: string; facts: { text: string; from: unknown }[] }> {
  const project = quietProject({ summarizer: 'auto' }, fastDir())
  decide(storeOf(project), project)
  const object = { note: [OF_USER, SHOWN], stands: OF_USER, facts: [], rules: [], settles: [], ...answer }
  const { store, around } = stageIn(project, [{ object }])
  await writeNotes(store, around)
  return {
    note: notesIn(memoryOf(project))[0]?.text ?? '',
    stands: allSessions(store.readState())[0]?.[1].stands?.text ?? '',
    facts: allFacts(readFacts(store))
      .filter(({ by }) => by === 'headless')
      .map(({ text, evidence }) => ({ text, from: evidence.from })),
  }
}

describe('a sentence of a model that names the user', () => {
  it('is kept only if it cites an entry in which the user speaks, whatever an audit confirms', async () => {
    const { note } = await written({ note: [OF_USER, OF_TOOL, OF_CLAUDE, OF_NOBODY, SHOWN] })

    expect(note).toBe(`${OF_USER.sentence} The export wrote 40 invoices (from Bash).`)
  })

  it('is no state of the session either', async () => {
    expect((await written({ stands: { text: OF_TOOL.sentence, entry: 3 } })).stands).not.toContain('The user wants')
    expect((await written({ stands: { text: OF_USER.sentence, entry: 5 } })).stands).toBe(OF_USER.sentence)
  })

  it('is no fact if its quote is not the user’s', async () => {
    const fact = (text: string, quote: string): Draft => ({ type: 'decision', text, quote, conceptName: 'x' })
    const { facts } = await written({
      facts: [
        fact('The user wants all invoices in PostgreSQL.', 'I moved the invoices to PostgreSQL.'),
        fact('The user wants all amounts in cents.', 'store all amounts in cents, never as floats'),
      ],
    })

    expect(facts).toEqual([{ text: 'The user wants all amounts in cents.', from: undefined }])
  })

  it('is dropped from the note of an agent if it rests on what somebody else said', async () => {
    const { project, store } = handed({ summarizer: 'agent' })
    const text =
      'The user wants all amounts stored in cents. The user wants the export fixed so the nightly job passes.'
    locked(store, () => saveNote(store, { delta: PIECE, text, author: 'agent' }, NOW))
    const { around } = stageIn(project, [])
    await writeNotes(store, around)

    expect(notesIn(memoryOf(project))[0]?.text).toBe('The user wants all amounts stored in cents.')
  })
})
