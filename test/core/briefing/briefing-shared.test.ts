/** Real sessions, told after a compaction: what is said of them occurs in them. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderBriefing } from '../../../src/core/briefing/briefing.ts'
import { compactedLines } from '../../../src/core/briefing/briefing-parts.ts'
import { input } from '../../support/briefing.ts'
import { readAll } from '../../support/transcript.ts'

const FOLDER = path.resolve(import.meta.dirname, '..', '..', '..', '..', 'shared', 'transcripts')
const files = fs.existsSync(FOLDER) ? fs.readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl')) : []
if (files.length === 0) console.log(`skipped: no transcripts in ${FOLDER}`)

describe.skipIf(files.length === 0)('a real session', () => {
  it.each(files)('%s is told within its room', (name) => {
    const { entries, open } = readAll(fs.readFileSync(path.join(FOLDER, name)))
    const all = [...entries, ...open].map((entry, n) => ({ n, entry }))
    const compacted = compactedLines(all, 4_500)
    const briefing = renderBriefing(input({ compacted, session: 'aaaa1111' }))?.text ?? ''

    expect(briefing.length).toBeLessThanOrEqual(9_500)
    expect(briefing).toMatch(/^- (?:User|Prompt): \S/m)
  })
})
