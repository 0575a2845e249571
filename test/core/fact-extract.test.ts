/** Facts found without a model. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NewFact, NO_FACTS } from '../../src/core/fact.ts'
import { addFacts } from '../../src/core/fact-add.ts'
import { extractFacts } from '../../src/core/fact-extract.ts'
import type { Entry } from '../../src/core/session.ts'
import { bash, chose, claude, edit, SESSIONS, session, user } from '../fixtures/sessions.ts'

const factsOf = (...entries: Entry[]): NewFact[] => extractFacts('abcdefgh', session(entries), 10)

describe('facts of a session', () => {
  it('carry the reason, the words and the files', () => {
    const [fact] = factsOf(
      user('Good. **Use fetch instead of axios** in `src/net/http.ts` because the bundle is too large.'),
      edit('src/net/http.ts'),
    )

    expect(fact).toEqual({
      type: 'decision',
      text: 'Use fetch instead of axios in `src/net/http.ts` because the bundle is too large.',
      reason: 'the bundle is too large',
      status: null,
      resolution: null,
      at: '2026-01-13T12:00:00.000Z',
      session: 'abcdefgh',
      evidence: {
        entry: 0,
        quote: '**Use fetch instead of axios** in `src/net/http.ts` because the bundle is too large.',
      },
      files: ['src/net/http.ts'],
      concept: null,
      state: 'fresh',
      author: 'extractive',
    })
  })

  it('name the files that were changed right after a decision', () => {
    const [fact] = factsOf(user("Let's keep the old parser for one more release."), bash('ls'), edit('src/parser.ts'))

    expect(fact?.files).toEqual(['src/parser.ts'])
  })

  it('find a Korean reason, also in the sentence behind', () => {
    const [one, two] = factsOf(
      user('번들이 너무 크기 때문에 앞으로 moment는 추가하지 마.'),
      user('캐시는 Redis로 하자. 메모리가 부족하기 때문이야.'),
    )

    expect(one?.reason).toBe('번들이 너무 크기 때문에')
    expect(two?.reason).toBe('메모리가 부족하기 때문이')
  })

  it('are open and solved issues too', () => {
    const facts = factsOf(
      user('fix the crash in the importer'),
      claude('The crash in the importer is fixed.\n\n## Next steps\n- Windows paths are not tested yet'),
    )

    expect(facts.map(({ status, text }) => `${status}: ${text}`)).toEqual([
      'resolved: The crash in the importer is fixed.',
      'open: Windows paths are not tested yet',
    ])
  })

  it('are none where words only point elsewhere or only ask', () => {
    expect(
      factsOf(
        user("Let's go with that one."),
        user('Should we use Redis instead of files?'),
        claude("Let me check the cache first. I'll use Grep instead of reading all of it."),
        user('/deploy staging'),
      ),
    ).toEqual([])
  })

  it('include an answer to Claude’s question only if it decides something in its own words', () => {
    const facts = factsOf(
      chose('Which option do you want?', 'The second one'),
      chose('Which database do you want?', 'Use SQLite everywhere'),
      chose('커밋은 어떻게 할까요?', '항상 PR로'),
    )

    expect(facts.map(({ type, text }) => `${type}: ${text}`)).toEqual([
      'decision: Which database do you want? → Use SQLite everywhere',
      'decision: 커밋은 어떻게 할까요? → 항상 PR로',
    ])
    expect(facts[0]?.evidence.quote).toBe('"Which database do you want?"="Use SQLite everywhere"')
  })

  it('are at most as many as asked for, the person’s decisions before all', () => {
    const many = Array.from({ length: 9 }, (_, i) => user(`Always write test number ${i} before the code.`))
    const facts = extractFacts('abcdefgh', session([...many, claude('TODO: the docs are not written yet.')]), 4)

    expect(facts).toHaveLength(4)
    expect(facts.every(({ type }) => type === 'decision')).toBe(true)
  })

  it('quote what stands in their entry, and adding them twice is adding them once', () => {
    const all = SESSIONS.flatMap(({ entries }) => entries.map(({ entry }) => entry as Entry))
    fc.assert(
      fc.property(fc.shuffledSubarray(all), fc.nat(12), (entries, max) => {
        const numbered = session(entries)
        const facts = extractFacts('abcdefgh', numbered, max)
        expect(facts.length).toBeLessThanOrEqual(max)
        for (const { evidence } of facts) {
          const entry = numbered[evidence.entry]?.entry
          expect(entry !== undefined && 'text' in entry && entry.text.includes(evidence.quote)).toBe(true)
        }
        const once = addFacts(NO_FACTS, facts)
        expect(addFacts(once, facts)).toEqual(once)
      }),
    )
  })
})
