/** Notes of whole sessions, ours and real ones: everything that a program can check of them. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkNote } from '../../bench/support/note-checks.ts'
import { digestEntries, type Numbered, noteBudget, renderDigest } from '../../src/notes/digest.ts'
import { extractFacts } from '../../src/outgoing/fact-extract.ts'
import { createRedactor } from '../../src/redact/redact.ts'
import { SESSIONS } from '../fixtures/sessions.ts'
import { readAll } from '../support/transcript.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../../shared/transcripts')
const { redact } = createRedactor({ enabled: true, extraPatterns: [] })
const clean = (text: string): string => redact(text).text
const noteOf = (entries: readonly Numbered[]): string =>
  renderDigest(digestEntries(entries), { maxTokens: noteBudget(entries) })

describe('notes of our own sessions', () => {
  it.each(SESSIONS.map(({ name, entries }) => [name, entries] as const))('%s', (_, entries) => {
    expect(checkNote(noteOf(entries), entries, clean)).toEqual([])
  })

  it('would be found out if they cut a word, made one up or forgot a file', () => {
    const entries = SESSIONS[0]?.entries ?? []
    const note = noteOf(entries)

    expect(checkNote(note.replace('although the session', 'although the sess'), entries, clean)).not.toEqual([])
    expect(checkNote(note.replace('one minute', 'two minutes'), entries, clean)).not.toEqual([])
    expect(checkNote(note.replace('src/auth/clock.ts', ''), entries, clean)).not.toEqual([])
    expect(checkNote(note.replace('npm run lint', 'npm run lin'), entries, clean)).not.toEqual([])
  })
})

const files = fs.existsSync(FOLDER) ? fs.readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl')) : []
if (files.length === 0) console.log(`skipped: no transcripts in ${FOLDER}`)

describe.skipIf(files.length === 0)('notes of real transcripts', () => {
  it.each(files)('%s', (name) => {
    const { entries, open } = readAll(fs.readFileSync(path.join(FOLDER, name)), { outputChars: 300, redact: clean })
    const numbered = [...entries, ...open].map((entry, n): Numbered => ({ n, entry }))

    expect(checkNote(noteOf(numbered), numbered, clean)).toEqual([])
    // As in long sessions, which are noted in pieces.
    for (let from = 0; from < numbered.length; from += 40) {
      const piece = numbered.slice(from, from + 40)
      expect(checkNote(noteOf(piece), piece, clean).filter((problem) => problem !== 'names no goal')).toEqual([])
    }
    for (const { evidence } of extractFacts('00000000', numbered, 10)) {
      const entry = numbered[evidence.entry]?.entry
      expect(entry !== undefined && 'text' in entry && entry.text.includes(evidence.quote)).toBe(true)
    }
  })
})
