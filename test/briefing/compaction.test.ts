import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderCompactionGuidance } from '../../src/briefing/compaction.ts'
import { NO_FACTS } from '../../src/knowledge/fact.ts'
import { answers, asks, edits, entriesOf, fact, facts, runs, wildEntries, wildFacts } from '../support/briefing.ts'

describe('what the summariser is told', () => {
  it('is what must survive, and what was known before', () => {
    const done = entriesOf(
      asks('로그인을 빠르게 해줘.'),
      edits('src/slow.ts'),
      runs('npm test -- --run', true, '41 passed'),
      runs('make up', false, 'port 6379 is taken'),
      asks('Log slow requests.'),
      answers('Login answers in 38 ms.'),
    )
    const known = facts([fact('d001', 'Sessions live in Redis.'), fact('i001', 'Tokens are not revoked.')])

    expect(renderCompactionGuidance(done, known)?.split('\n').slice(1)).toEqual([
      'Ended: Login answers in 38 ms.',
      'Changed (no commit seen): src/slow.ts',
      'Failed: `make up` → port 6379 is taken; never seen to pass',
      'Ran: `npm test -- --run` → 41 passed',
      'User: 로그인을 빠르게 해줘.',
      'User: Log slow requests.',
      'Known in this project before:',
      '- i001 2026-01-12: Tokens are not revoked.',
      '- d001 2026-01-12: Sessions live in Redis.',
    ])
  })

  it('is nothing when nothing happened', () => {
    expect(renderCompactionGuidance([], NO_FACTS)).toBeNull()
  })

  it('has something of everything when there is too much', () => {
    const parts = Array.from({ length: 60 }, (_, i) => [
      asks(`Please take care of part ${i} of the login service.`),
      edits(`src/part-${i}/index.ts`),
      runs(`npm run step-${i}`),
      runs(`npm run broken-${i}`, false, 'exit 1'),
      answers(`Part ${i} is done as far as it goes.`),
    ])
    const text = renderCompactionGuidance(entriesOf(...parts.flat()), NO_FACTS)

    for (const label of ['Ended: ', 'Changed ', 'Failed: ', 'User: ']) expect(text, label).toContain(label)
    expect(text).toContain('User: Please take care of part 59')
    expect(text?.length).toBeGreaterThan(1_600)
  })

  it('is under 2,000 characters and never looks like JSON or like the host', () => {
    fc.assert(
      fc.property(wildEntries, wildFacts, (done, known) => {
        const text = renderCompactionGuidance(done, known)
        if (text === null) return

        expect(text.length).toBeLessThan(2_000)
        expect(text.trimStart().startsWith('{')).toBe(false)
        expect(text).not.toMatch(/<\s*\/?\s*(?:system-reminder|memory-keeper)|\[\s*memory_keeper_/i)
        expect(renderCompactionGuidance(structuredClone(done), structuredClone(known))).toBe(text)
      }),
    )
  })
})
