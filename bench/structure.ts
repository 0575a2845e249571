/** A digest from structure alone, of each shared transcript, to be read: `npm run bench -- structure [characters] [name]`. */
import { allFacts, NO_ITEMS } from '../src/core/knowledge/items.ts'
import { standOf, structureOf } from '../src/core/notes/structure.ts'
import { withStructure } from '../src/core/notes/structure-facts.ts'
import { allSessions } from '../src/kernel/memory/state.ts'
import { toTell } from '../src/kernel/sessions/delta.ts'
import { readSession } from '../src/kernel/sessions/disk/lineage.ts'
import { listTranscripts, rememberWork } from './support/transcripts.ts'

const [chars = '2500', name = ''] = process.argv.slice(2)
for (const file of listTranscripts().filter((one) => one.includes(name))) {
  const { place } = rememberWork([file], 'sessions')
  for (const [id, session] of allSessions(place.store.readState())) {
    const entries = readSession(place.store, session.file).map((entry, n) => ({ n, entry }))
    const began = performance.now()
    const text = structureOf(toTell(entries), Number(chars))
    const ms = performance.now() - began
    console.log(
      `\n== ${file} ${id.slice(0, 8)}: ${entries.length} entries, ${text.length} characters, ${ms.toFixed(1)} ms`,
    )
    const facts = allFacts(withStructure(NO_ITEMS, id.slice(0, 8), toTell(entries), 10))
    for (const { text: fact, status, kind: type, evidence } of facts)
      console.log(`fact: ${status ?? type} #${evidence.entry} ${fact}`)
    console.log(`(stands: ${standOf(toTell(entries)) ?? 'nothing said'})\n\n${text}`)
  }
}
