/** Facts about one file come together when nothing else brings them together. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_CONCEPTS } from '../../src/knowledge/concept.ts'
import { assignConcepts } from '../../src/knowledge/concept-assign.ts'
import { allFacts, NO_FACTS } from '../../src/knowledge/fact.ts'
import { addFacts } from '../../src/knowledge/fact-add.ts'
import { sharedFiles } from '../../src/outgoing/concept-files.ts'
import { extractFacts } from '../../src/outgoing/fact-extract.ts'
import { claude, edit, session, user } from '../fixtures/sessions.ts'

const about = (files: string[], concept: string | null = null, resolution: string | null = null) => ({
  fact: { files, resolution },
  concept,
})

describe('facts about one file', () => {
  it('found a concept that is called after its folder or its name', () => {
    const names = (file: string): string[] => sharedFiles([about([file]), about([file])]).map(({ name }) => name)

    expect(names('src/auth/refresh.ts')).toEqual(['auth'])
    expect(names('src/price.ts')).toEqual(['price'])
    expect(names('src/index.ts')).toEqual([])
    expect(names('package.json')).toEqual([])
  })

  it('go where the others are, unless these are in two places', () => {
    const known = about(['src/auth/refresh.ts'], 'c001')
    const other = about(['src/auth/refresh.ts'], 'c002')
    const fresh = about([], null, 'A mutex in src/auth/refresh.ts serialises the calls.')

    expect(sharedFiles([known, fresh])).toEqual([{ name: 'auth', home: 'c001', members: [fresh] }])
    expect(sharedFiles([known, other, fresh])).toEqual([])
  })

  it('are sorted though they share no word', () => {
    const first = [
      user("Let's go with a 15 minute access key and a 7 day one."),
      edit('src/auth/refresh.ts'),
      claude('Done. I found a bug: two tabs log people out. I have not fixed it yet.'),
    ]
    const second = [
      user('go on'),
      claude('Right.'),
      user('and?'),
      claude('Fixed: two tabs no longer log people out, see src/auth/refresh.ts.'),
    ]
    const facts = [first, second].reduce((known, one, i) => {
      const open = known.issues.map(({ text }) => text)
      return addFacts(known, extractFacts(`abcdefg${i}`, session(one), 10, open))
    }, NO_FACTS)
    const sorted = assignConcepts(NO_CONCEPTS, facts, 0.7)

    expect(allFacts(sorted.facts).map(({ id, concept }) => [id, concept])).toEqual([
      ['d001', 'c001'],
      ['i002', 'c001'],
    ])
    expect(assignConcepts(sorted.concepts, sorted.facts, 0.7)).toEqual(sorted)
  })

  it('are each told once, and only those without a concept', () => {
    const file = fc.constantFrom('src/a/x.ts', 'src/b/yard.ts', 'lib/zoo.ts', 'README.md')
    const one = fc.tuple(fc.uniqueArray(file, { maxLength: 3 }), fc.constantFrom(null, 'c001', 'c002'))
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), (some) => {
        const facts = some.map(([files, concept]) => about(files, concept))
        const members = sharedFiles(facts).flatMap((shared) => shared.members)

        expect(new Set(members).size).toBe(members.length)
        expect(members.every(({ concept }) => concept === null)).toBe(true)
      }),
    )
  })
})
