/** Real sessions, told after a compaction: what is said of them occurs in them. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderBriefing } from '../../src/briefing/briefing.ts'
import { compactedFrom } from '../../src/briefing/briefing-digest.ts'
import { renderCompactionGuidance } from '../../src/briefing/compaction.ts'
import { NO_FACTS } from '../../src/knowledge/fact.ts'
import { digestEntries } from '../../src/notes/digest.ts'
import { input } from '../support/briefing.ts'
import { readAll } from '../support/transcript.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../../shared/transcripts')
const files = fs.existsSync(FOLDER) ? fs.readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl')) : []
if (files.length === 0) console.log(`skipped: no transcripts in ${FOLDER}`)

const COMMAND = /^(?:- )?(?:Worked|Still failing): `([^`\n]+?)( …)?`/

describe.skipIf(files.length === 0)('a real session', () => {
  it.each(files)('%s is told within its room, with commands and files as they were', (name) => {
    const { entries, open } = readAll(fs.readFileSync(path.join(FOLDER, name)))
    const all = [...entries, ...open]
    const compacted = digestEntries(all.map((entry, n) => ({ n, entry })))
    const guidance = renderCompactionGuidance(compacted, NO_FACTS) ?? ''
    const briefing = renderBriefing(input({ compacted: compactedFrom(compacted), session: 'aaaa1111' }))?.text ?? ''

    expect(guidance).toMatch(/^Goal: \S/m)
    expect(guidance.length).toBeLessThan(2_000)
    expect(briefing.length).toBeLessThanOrEqual(9_500)
    expect(briefing).toMatch(/^- Goal: \S/m)
    if (compacted.changed.length > 0) expect(guidance).toContain(path.basename(compacted.changed[0]?.path ?? ''))
    const ran = all.flatMap((entry) => ('cmd' in entry ? [entry.cmd] : []))
    for (const line of `${guidance}\n${briefing}`.split('\n')) {
      const command = COMMAND.exec(line)?.[1]
      if (command !== undefined)
        expect(
          ran.some((one) => one.includes(command)),
          command,
        ).toBe(true)
    }
  })
})
