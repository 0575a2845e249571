/** Every text that a person gives is redacted before it is written anywhere: in the files, in the journal, in what is printed. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Change, changeByHand } from '../../../../src/core/edit/disk/by-hand.ts'
import { HAND, known, TOLD } from '../../../support/by-hand.ts'
import { storeOf, treeOf, write } from '../../../support/project.ts'

const KEY = `AKIA${'ABCDEFGHIJKLMNOP'}`
const PRIVATE = 'Birgitta'
const text = `Use ${KEY} here <private>${PRIVATE}</private> and there.`

/** A change that a person can make, once for each of its texts; the compiler asks for a new change, an empty list means: it has no text. */
const WITH_TEXT: { [K in Change['do']]: Extract<Change, { do: K }>[] } = {
  'add-fact': [
    { do: 'add-fact', type: 'decision', text },
    { do: 'add-fact', type: 'decision', text: 'We pay in euros.', reason: text },
    { do: 'add-fact', type: 'decision', text: 'We pay in euros.', files: ['a.ts', text] },
    { do: 'add-fact', type: 'decision', text: 'We pay in euros.', concept: text },
    // Said again, with a new reason.
    { do: 'add-fact', type: 'decision', text: 'Prices are kept in cents.', reason: text },
  ],
  'edit-fact': [
    { do: 'edit-fact', id: 'd001', text },
    { do: 'edit-fact', id: 'd001', reason: text },
    { do: 'edit-fact', id: 'd001', files: [text] },
    { do: 'edit-fact', id: 'd001', concept: text },
  ],
  'edit-learned': [{ do: 'edit-learned', id: 'r001', text }],
  resolve: [
    { do: 'resolve', id: 'i003', resolution: text },
    { do: 'resolve', id: 'i004', resolution: text },
  ],
  reopen: [],
  restore: [],
  reject: [
    { do: 'reject', id: 'd001', why: text },
    { do: 'reject', id: 'd001', why: text, other: 'd002' },
  ],
  pin: [],
  unpin: [],
  'merge-concepts': [],
  'rename-concept': [{ do: 'rename-concept', id: 'c001', name: text }],
  'add-note': [{ do: 'add-note', text }],
  'edit-note': [{ do: 'edit-note', id: TOLD.id, text }],
  'remove-note': [],
  'set-page': [
    { do: 'set-page', name: 'project', text, how: 'replace' },
    { do: 'set-page', name: 'lessons', text, how: 'append' },
  ],
  'add-rule': [{ do: 'add-rule', text }],
  'remove-rule': [],
  'edit-rule': [{ do: 'edit-rule', rule: 'Be kind.', text }],
  'init-rules': [],
  'add-lesson': [{ do: 'add-lesson', text }],
  'propose-rule': [{ do: 'propose-rule', text }],
  accept: [
    { do: 'accept', id: 'r001', text },
    { do: 'accept', id: 'd001', text },
  ],
  decline: [],
  demote: [{ do: 'demote', id: 'r002', why: text }],
}

/** The name of the field that contains the text. */
function fieldOf(change: Change): string {
  return Object.entries(change).find(([, value]) => String(value).includes(KEY))?.[0] ?? 'none'
}

describe.each(
  Object.values(WITH_TEXT)
    .flat()
    .map((change) => [change.do, fieldOf(change), change] as const),
)('%s', (act, field, change) => {
  it(`${act} keeps no secret and nothing private of its ${field}, wherever it is written or printed`, () => {
    const project = known()
    const planned = changeByHand(storeOf(project), change, { ...HAND, isDryRun: true })
    const done = changeByHand(storeOf(project), change, HAND)

    const all = JSON.stringify([planned, done, treeOf(project.base)])
    expect(all).not.toContain(KEY)
    expect(all).not.toContain(PRIVATE)
    expect(JSON.stringify(treeOf(project.memory))).toContain('[redacted:')
    // A note of one's own is redacted by the notes, which do not count.
    if (act === 'add-note') return
    expect(done.json.redactions).toBeGreaterThanOrEqual(2)
    expect(done.said.at(-1)).toMatch(/^\d+ secrets redacted\.$/)
    expect(planned.said).toEqual(done.said)
  })
})

describe('redaction of what is typed by hand', () => {
  it('a change says how many secrets it redacted, and nothing where there are none', () => {
    const project = known()
    const one = changeByHand(storeOf(project), { do: 'add-rule', text: `Use ${KEY} here.` }, HAND)
    const none = changeByHand(storeOf(project), { do: 'add-rule', text: 'Be early.' }, HAND)

    expect([one.json.redactions, one.said.at(-1)]).toEqual([1, '1 secret redacted.'])
    expect([none.json.redactions, none.said.join()]).toEqual([0, expect.not.stringContaining('redacted')])
  })

  it('a note with a secret is known when it is given again, though it is stored without the secret', () => {
    const project = known()
    const note = { do: 'add-note', text: `Use ${KEY} here.` } as const
    const first = changeByHand(storeOf(project), note, HAND).json.note
    expect(changeByHand(storeOf(project), note, HAND).json).toMatchObject({ known: true, note: first })
  })

  it('a new lesson has the secrets of the whole page redacted', () => {
    const project = known()
    const page = path.join(project.memory, 'lessons.md')
    write(page, `# Lessons\n\n- The key is ${KEY}.\n`)
    changeByHand(storeOf(project), { do: 'add-lesson', text: 'Look twice.' }, HAND)

    expect(fs.readFileSync(page, 'utf8')).toContain('- Look twice.')
    expect(fs.readFileSync(page, 'utf8')).not.toContain(KEY)
  })

  it('texts of facts are put on one line without control characters, notes and pages keep their lines', () => {
    const project = known()
    const lines = ' One\u0007\n\ttwo\u001b[2J  three. '
    const { fact } = changeByHand(
      storeOf(project),
      { do: 'edit-fact', id: 'd001', text: lines, reason: lines, files: [lines], concept: lines },
      HAND,
    ).json as { fact: object }
    changeByHand(storeOf(project), { do: 'edit-note', id: TOLD.id, text: 'One\n\ttwo.' }, HAND)
    changeByHand(storeOf(project), { do: 'set-page', name: 'project', text: 'One\n\ttwo.', how: 'replace' }, HAND)

    const one = 'One two [2J three.'
    expect(fact).toMatchObject({ text: one, reason: one, files: [one], concept: 'c004' })
    for (const file of ['memory.md', 'project.md'])
      expect(fs.readFileSync(path.join(project.memory, file), 'utf8')).toContain('One\n\ttwo.\n')
  })
})
