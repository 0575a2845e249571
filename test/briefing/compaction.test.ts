import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderCompactionGuidance } from '../../src/briefing/compaction.ts'
import { NO_FACTS } from '../../src/knowledge/fact.ts'
import { digest, fact, facts, ran, said, wildDigest, wildFacts } from '../support/briefing.ts'

describe('what the summariser is told', () => {
  it('is what must survive, commands word for word', () => {
    const done = digest({
      asked: [said('로그인을 빠르게 해줘.', 0), said('Log slow requests.', 9)],
      changed: [{ path: 'src/slow.ts', how: 'created', times: 1 }],
      ran: [ran('npm test -- --run', true, '41 passed'), ran('make up', false, 'port 6379 is taken')],
      decided: [said('Sessions live in Redis.', 2)],
      open: [said('No fallback yet.', 8, 'assistant')],
      answer: said('Login answers in 38 ms.', 10, 'assistant'),
    })
    const known = facts([fact('d001', 'Sessions live in Redis.'), fact('i001', 'Tokens are not revoked.')])

    expect(renderCompactionGuidance(done, known)?.split('\n').slice(1)).toEqual([
      'Goal: 로그인을 빠르게 해줘.',
      'Asked later: Log slow requests.',
      'Decided: Sessions live in Redis.',
      'Changed: src/slow.ts (new)',
      'Worked: `npm test -- --run` (41 passed)',
      'Still failing: `make up` (port 6379 is taken)',
      'Open: No fallback yet.',
      'Where it stood: Login answers in 38 ms.',
      'Known in this project before:',
      '- i001 2026-01-12: Tokens are not revoked. [L1:aaaa1111#5]',
    ])
  })

  it('names once what files of another directory share', () => {
    const files = ['/srv/tree/src/a.ts', '/srv/tree/b.ts', 'c.ts']
    const changed = files.map((path) => ({ path, how: 'edited' as const, times: 1 }))

    expect(renderCompactionGuidance(digest({ changed }), NO_FACTS)?.split('\n').slice(1)).toEqual([
      'Changed: c.ts',
      'Changed in /srv/tree/: src/a.ts, b.ts',
    ])
  })

  it('is nothing when nothing happened', () => {
    expect(renderCompactionGuidance(digest(), NO_FACTS)).toBeNull()
  })

  it('has something of everything when there is too much', () => {
    const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 60 }, (_, i) => make(i))
    const text = renderCompactionGuidance(
      digest({
        asked: many((i) => said(`Please take care of part ${i} of the login service.`, i)),
        changed: many((i) => ({ path: `src/part-${i}/index.ts`, how: 'edited', times: 1 })),
        ran: [
          ...many((i) => ran(`npm run step-${i}`, true)),
          ...many((i) => ran(`npm run broken-${i}`, false, 'exit 1')),
        ],
        decided: many((i) => said(`Part ${i} stays as it is.`, i)),
        open: many((i) => said(`Part ${i} is not done yet.`, i)),
      }),
      NO_FACTS,
    )

    for (const label of ['Goal: ', 'Asked later: ', 'Decided: ', 'Changed: ', 'Worked: ', 'Still failing: ', 'Open: '])
      expect(text, label).toContain(label)
    expect(text).toContain('Asked later: Please take care of part 59')
    expect(text?.length).toBeGreaterThan(1_800)
  })

  it('is under 2,000 characters and never looks like JSON or like the host', () => {
    fc.assert(
      fc.property(wildDigest, wildFacts, (done, known) => {
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
