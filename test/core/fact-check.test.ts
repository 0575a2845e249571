/** Checking what a model extracted: what holds, what is refused and why, what is missing. */
import { describe, expect, it } from 'vitest'
import { NO_CONCEPTS } from '../../src/core/concept.ts'
import { NO_FACTS } from '../../src/core/fact.ts'
import { checkDrafts } from '../../src/core/fact-check.ts'
import { SESSIONS } from '../fixtures/sessions.ts'

describe('smoke', () => {
  it('x', () => {
    for (const { name, entries } of SESSIONS) {
      const checked = checkDrafts({ session: 'abcdefgh', entries, drafts: [], nothingIn: [], facts: NO_FACTS, concepts: NO_CONCEPTS, author: 'agent', conceptSimilarity: 0.7, room: 10 })
      console.log(name, JSON.stringify(checked.questions, null, 1))
    }
    expect(1).toBe(1)
  })
})
