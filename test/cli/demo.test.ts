/** `demo` finds again what its sample sessions held: by a search, and with a prompt of another day. */
import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runCommand, runCommandJson } from '../support/process.ts'
import { makeProject } from '../support/project.ts'

describe('demo', () => {
  it('plays the whole cycle, finds an answer by its words, and recalls it with a prompt of another day', () => {
    const { json, code } = runCommandJson(makeProject(), ['demo'])

    expect(code).toBe(0)
    expect(json).toMatchObject({ complete: true, redactions: 2, notes: 5 })
    expect(json.found[0]).toBe('L1:de30de30#4')
    expect(json.found).toHaveLength(3)
    expect(json.recalled).toMatch(/^<memory-keeper-recall>\n[\s\S]*2026-01-13 de30de30\n[\s\S]*^#4 /m)
    expect(json.recalled).toContain('The rounding works on floating point numbers')
    expect(runCommandJson(makeProject(), ['demo']).json).toEqual(json)
  })

  it('leaves nothing behind', () => {
    const project = makeProject()
    runCommand(project, ['demo'])

    expect(fs.readdirSync(project.base).filter((name) => name.includes('demo'))).toEqual([])
  })
})
