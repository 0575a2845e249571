/** `export` and `import-bundle`: what a person sees, and what Claude may not do in their place. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatItems } from '../../../src/core/knowledge/facts-file.ts'
import { fact, factsWith } from '../../support/fact.ts'
import {
  append,
  linesFor,
  makeProject,
  quietProject,
  sessionId,
  type TestProject,
  tempDir,
  write,
} from '../../support/project.ts'
import { errorOf, typed } from '../../support/typed.ts'
import { stop } from '../../support/world.ts'

const SESSION = sessionId(1)
const INSIDE = { CLAUDECODE: '1' }

/** Two facts, and a session that goes on. */
function known(): TestProject {
  const project = quietProject()
  const lines = linesFor(SESSION, project.root)
  append(project.transcriptOf(SESSION), lines.prompt(1, 'Hello there.') + lines.answer(2, 'Hello.'))
  stop(project)
  const facts = factsWith(fact(), fact({ id: 'd002', text: 'We deploy on Tuesdays.', at: '2026-01-14T09:00:00.000Z' }))
  write(path.join(project.memory, 'facts.json'), formatItems(facts))
  return project
}

describe('export and import-bundle', () => {
  it('export and import-bundle carry a memory from one project to another, after a yes', () => {
    const from = known()
    const file = path.join(from.base, 'memory.json')
    const { out } = typed(from, `export --out ${file}`)
    const to = makeProject('other', from.base)

    expect(out).toMatch(/^Wrote \d+ files to .*memory\.json/)
    expect(errorOf(from, `export --out ${file}`)).toBe('exists')
    expect(typed(to, `import-bundle ${file}`)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Your own bundle.*1 session.*facts\.json.*--yes/s),
    })
    expect(typed(to, `import-bundle ${file} --dry-run --yes`)).toMatchObject({ code: 0 })
    expect(fs.existsSync(path.join(to.memory, 'facts.json'))).toBe(false)
    expect(typed(to, `import-bundle ${file} --yes`)).toMatchObject({ code: 0, out: expect.stringContaining('Added.') })
    expect(typed(to, `export`).out).toBe(fs.readFileSync(file, 'utf8'))
    expect(typed(to, `import-bundle ${file} --yes`).out).toContain('already added')
  })

  it('import-bundle prints a next step that adds it where it was asked for', () => {
    const from = known()
    const file = path.join(from.base, 'memory.json')
    typed(from, `export --out ${file}`)
    const to = makeProject('the other', from.base)

    expect(typed(from, `import-bundle ${file} --project "${to.root}"`).out).toContain(
      `To add it: memory-keeper import-bundle ${file} --project "${to.root}" --yes`,
    )
    expect(typed(to, `import-bundle ${file}`).out).toContain(`import-bundle ${file} --yes`)
  })

  it('export and import-bundle are refused inside Claude Code, and where nothing is remembered', () => {
    const from = known()
    const file = path.join(from.base, 'memory.json')
    typed(from, `export --out ${file}`)

    expect(errorOf(makeProject('other', from.base), `import-bundle ${file} --yes`, INSIDE)).toBe('not-asked')
    expect(errorOf(makeProject('empty', tempDir()), 'export')).toBe('nothing')
    expect(errorOf(from, `import-bundle ${path.join(from.base, 'none.json')}`)).toBe('no-bundle')
  })
})
