/** `demo` finds again what its sample sessions held. */
import { describe, expect, it } from 'vitest'
import { runCommandJson } from '../../support/process.ts'
import { makeProject } from '../../support/project.ts'

describe('demo', () => {
  it('plays the whole cycle, and finds an answer by its words', () => {
    const { json, code } = runCommandJson(makeProject(), ['demo'])

    expect(code).toBe(0)
    expect(json).toMatchObject({ complete: true, redactions: 2, notes: 3, rotations: 1 })
    expect(json.found[0]).toBe('L1:de30de30#4')
    expect(json.found).toHaveLength(3)
    expect(runCommandJson(makeProject(), ['demo']).json).toEqual(json)
  })
})
