/** Of notes with one invented identifier, how many are caught, and how many true ones are refused? How long does it take? */
import { findUngrounded } from '../src/core/grounding/grounding.ts'
import { tidyNote, whyNotANote } from '../src/core/notes/note-check.ts'
import { DELTAS, FRESH_NOTES, type LabelledNote, NOTES, TERSE_NOTES } from '../test/fixtures/grounding.ts'

const SOURCE_CHARS = 700_000
const ROUNDS = 15
const LANGUAGES = { en: 'English', ko: 'Korean', ja: 'Japanese', zh: 'Chinese', de: 'German' } as const

const all = [...NOTES, ...FRESH_NOTES, ...TERSE_NOTES]
console.log(`${all.length} notes about ${Object.keys(DELTAS).length} deltas, all our own\n`)
console.log('| notes | invented: caught | true: refused | more than the invented one named |\n|---|--:|--:|--:|')
console.log(renderRow('first batch (rules made with it)', NOTES))
console.log(renderRow('second batch (written afterwards)', FRESH_NOTES))
console.log(renderRow('third batch (terse)', TERSE_NOTES))
console.log(renderRow('together', all))
for (const [code, language] of Object.entries(LANGUAGES))
  console.log(
    renderRow(
      language,
      all.filter((note) => note.language === code),
    ),
  )

console.log('\n| invented | caught |\n|---|--:|')
for (const kind of new Set(all.flatMap((note) => note.kind ?? []))) {
  const notes = all.filter((note) => note.kind === kind)
  console.log(`| ${kind} | ${notes.filter(isCaught).length} of ${notes.length} |`)
}
for (const note of all.filter((one) => (one.invented === null ? foundIn(one).length > 0 : !isCaught(one))))
  console.log(
    `\n${note.invented === null ? 'refused' : 'missed'} (${note.delta}): ${note.text}\n  named: ${foundIn(note).join(' · ')}`,
  )

console.log(renderSlips())

const honestNotes = all.filter((note) => note.invented === null)
const noNotes = honestNotes.filter((note) => whyNotANote(tidyNote(note.text)) !== null)
console.log(`\nnote-check refuses ${noNotes.length} of the ${honestNotes.length} true notes`)
console.log(renderSpeed())

function foundIn(note: LabelledNote): string[] {
  return findUngrounded(note.text, DELTAS[note.delta])
}

function isCaught(note: LabelledNote): boolean {
  const { invented } = note
  return invented !== null && foundIn(note).some((found) => found.includes(invented) || invented.includes(found))
}

function renderRow(name: string, notes: readonly LabelledNote[]): string {
  const made = notes.filter(({ invented }) => invented !== null)
  const honest = notes.filter(({ invented }) => invented === null)
  const refused = honest.filter((note) => foundIn(note).length > 0)
  const more = made.filter((note) => foundIn(note).length > 1)
  return `| ${name} | ${made.filter(isCaught).length} of ${made.length} | ${refused.length} of ${honest.length} | ${more.length} |`
}

/** Every identifier of the true notes with one slip of the pen, each in a note of its own. */
function renderSlips(): string {
  const identifiers =
    /\d[\d.,]*\d|(?<![\w-])[A-Za-z_@~/.][\w./@-]*[._/][\w./-]*\w|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b[A-Z]+_[A-Z_]+/g
  let tried = 0
  const missed: string[] = []
  for (const { text, delta } of all.filter(({ invented }) => invented === null)) {
    for (const { 0: word, index } of text.matchAll(identifiers)) {
      for (const slip of slipsOf(word)) {
        if (slip === word || DELTAS[delta].toLowerCase().includes(slip.toLowerCase())) continue
        tried++
        const note = text.slice(0, index) + slip + text.slice(index + word.length)
        if (findUngrounded(note, DELTAS[delta]).length === 0) missed.push(`${word} → ${slip}`)
      }
    }
  }
  return `\nslips of one character in true notes: ${tried - missed.length} of ${tried} caught${missed.map((slip) => `\n  missed: ${slip}`).join('')}`
}

/** Another last digit; two letters changed over; one letter more. */
function slipsOf(word: string): string[] {
  if (/^\d/.test(word)) return [word.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 3) % 10))]
  const longer = word.replace(/([a-z])(?=\.[a-z]+$|$)/i, '$1x')
  return [word.replace(/([a-z])([a-z])/i, '$2$1'), longer]
}

function renderSpeed(): string {
  const one = Object.values(DELTAS).join('\n\n')
  const source = one.repeat(Math.ceil(SOURCE_CHARS / one.length)).slice(0, SOURCE_CHARS)
  const times = all.slice(0, ROUNDS).map((note) => {
    // Processor time: other work on the machine does not count.
    const began = process.cpuUsage()
    findUngrounded(`${note.text} ${note.text.replace(/\d/g, '7')}`, source)
    return process.cpuUsage(began).user / 1000
  })
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `a source of ${SOURCE_CHARS / 1000} KB: median ${at(0.5)} ms of processor time, slowest ${at(1)} ms of ${ROUNDS} (the first one cold: ${(times[0] ?? 0).toFixed(1)} ms)`
}
