/** Search over a whole memory: what is found, what is left out, what is folded, what is forgiven. */
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Found, type Hit, openSearcher, type SearchRequest } from '../../../../src/core/search/disk/search.ts'
import type { Entry } from '../../../../src/kernel/transcript/session.ts'
import { bash, claude, edit, user } from '../../../fixtures/sessions.ts'
import { note, wildText } from '../../../support/briefing.ts'
import { append, now, storeOf, type TestProject } from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'

const LOGIN: Entry[] = [
  user('Users are logged out after five minutes. Why does the session token expire so early?'),
  bash('grep -rn maxAge src/auth/session.ts', true, 'src/auth/session.ts:12: maxAge: 300'),
  claude('The session token expires after 300 seconds because maxAge is given in seconds, not minutes.'),
  edit('/app/src/auth/session.ts'),
  bash('npm test -- session', true, '14 passed'),
  claude('Fixed: maxAge is an hour now, and a test covers it.'),
]
const KOREAN: Entry[] = [
  user('결제 모듈에서 환불이 두 번 처리되는 문제를 고쳐줘'),
  claude('환불 요청에 멱등성 키를 추가했습니다. 데이터베이스에 고유 제약도 넣었습니다.'),
  bash('pnpm migrate', false, 'error: relation "refunds" does not exist'),
]
const DEPLOY: Entry[] = [
  user('Deploy the billing service to the kubernetes cluster in Frankfurt.'),
  bash('kubectl apply -f deploy/billing.yaml', true, 'deployment.apps/billing configured'),
  claude('Billing runs on kubernetes in Frankfurt now. The old virtual machine is still there.'),
]

function memory(): TestProject {
  return remember({
    sessions: {
      aaaa1111: { day: '2026-01-05', entries: LOGIN },
      bbbb2222: { day: '2026-01-08', entries: KOREAN },
      cccc3333: { day: '2026-01-12', entries: DEPLOY },
    },
    notes: [
      {
        ...note(0, '2026-01-05', 'The session token expired early: maxAge was read as seconds. It is an hour now.'),
        id: 'n-aaaa1111-0-6',
        to: 6,
      },
      { ...note(0, '2026-01-12', 'Billing was deployed to kubernetes.', 'user'), id: 'n-own', session: null },
    ],
    facts: {
      decisions: [
        {
          id: 'd001',
          text: 'Session tokens live one hour.',
          at: '2026-01-05T09:05:00.000Z',
          session: 'aaaa1111',
          evidence: { entry: 5, quote: 'maxAge is an hour now' },
          files: ['src/auth/session.ts'],
        },
      ],
      issues: [
        { id: 'i001', text: 'The old virtual machine still runs.', status: 'resolved', at: '2026-01-12T09:05:00.000Z' },
      ],
    },
    files: { 'project.md': '# Project\n\nA shop for bicycle parts with a billing service.\n' },
  })
}

function find(project: TestProject, query: string, more: Partial<SearchRequest> = {}): Found {
  const searcher = openSearcher(storeOf(project), { cacheDir: project.places.cacheDir, now })
  try {
    return searcher.find({ query, ...more })
  } finally {
    searcher.close()
  }
}

const project = memory()
const ids = (query: string, more: Partial<SearchRequest> = {}): string[] =>
  find(project, query, more).hits.map(({ id }) => id)
const everyId = (hits: readonly Hit[]): string[] => hits.flatMap(({ id, also }) => [id, ...also])

describe('search', () => {
  it('finds an entry by its words, with all that is known of it', () => {
    const { hits, corrected } = find(project, 'two refunds 환불 멱등성')
    const [best] = hits

    expect(best).toMatchObject({
      id: 'L1:bbbb2222#1',
      layer: 'L1',
      kind: 'answer',
      session: 'bbbb2222',
      entry: 1,
      date: '2026-01-08T09:01:00.000Z',
      state: '',
    })
    expect(best?.marks.map(([from, to]) => best.snippet.slice(from, to))).toEqual(['환불', '멱등성'])
    expect(best?.score).toBeGreaterThan(0)
    expect(corrected).toEqual([])
  })

  it('has all layers in one list', () => {
    const { hits } = find(project, 'billing', { limit: 20 })

    expect(new Set(hits.map(({ kind }) => kind))).toEqual(new Set(['prompt', 'tool', 'answer', 'note', 'page']))
  })

  it('finds what was written a moment ago', () => {
    const mine = memory()
    expect(find(mine, 'wombat').hits).toEqual([])
    append(path.join(mine.memory, 'project.md'), '\n## Animals\n\nThe wombat is our mascot.\n')

    expect(find(mine, 'wombat').hits.map(({ kind }) => kind)).toEqual(['page'])
  })

  it('tells the state of a fact', () => {
    expect(find(project, 'virtual machine', { kinds: ['issue'] }).hits).toMatchObject([
      { id: 'i001', state: 'resolved' },
    ])
  })

  it('tells the words that stand nowhere, as they were typed', () => {
    expect(find(project, 'SQLite kubernetes getUserSession').missing).toEqual(['SQLite', 'getUserSession'])
    expect(find(project, 'maxAge kubernetes').missing).toEqual([])
    expect(find(project, '환불 캥거루 왜 고쳤지').missing).toEqual(['캥거루'])
    expect(find(project, 'kuberntes', { kinds: ['decision'] })).toMatchObject({
      missing: [],
      corrected: [{ to: 'kubernetes' }],
    })
    // Written, though not in a decision.
    expect(find(project, 'kubernetes', { kinds: ['decision'] }).missing).toEqual([])
  })

  it('finds nothing without a word of a short query, nor beside what is not wanted', () => {
    const mine = remember({
      sessions: {
        dddd4444: { day: '2026-01-05', entries: [user('Move the harbour crane tomorrow.'), claude('Done.')] },
      },
    })
    const found = (query: string): string[] => find(mine, query).hits.map(({ id }) => id)

    expect(found('harbour crane')).toEqual(['L1:dddd4444#0'])
    expect(found('harbour crane tomorrow')).toEqual(['L1:dddd4444#0', 'L1:dddd4444#1'])
    expect(found('harbour crane moved -tomorrow')).toEqual([])
    expect(found('moveHarbourCrane')).toEqual(['L1:dddd4444#0'])
  })

  it('puts who holds a name whole before who holds its parts', () => {
    const mine = remember({
      sessions: {
        dddd4444: {
          day: '2026-01-05',
          entries: [
            user('Move the crane, the crane, move it.'),
            claude('moveCrane is called, whatever the weather is.'),
          ],
        },
      },
    })

    expect(find(mine, 'moveCrane', { limit: 1 }).hits.map(({ id }) => id)).toEqual(['L1:dddd4444#1'])
  })

  it('tells whether sessions were searched, and whether the names of the query were found', () => {
    expect(find(project, 'maxAge')).toMatchObject({ deep: true, holdsNames: true, covered: 1 })
    expect(find(project, 'session', { layers: ['L2', 'L3'] }).deep).toBe(false)
    expect(find(project, 'billing type:note').deep).toBe(false)
    expect(find(project, 'src/auth/session.ts', { layers: ['L2'] }).holdsNames).toBe(false)
  })

  it('refuses a time that ends before it begins', () => {
    expect(() => find(project, 'x since:2027-01-02 until:2027-01-01')).toThrow(
      /since 2027-01-02 is later than until 2027-01-01/,
    )
    expect(() => find(project, 'since:2027-01-01', { until: '2026-01-01' })).toThrow(/is later than/)
    expect(find(project, 'since:2026-01-05 until:2026-01-05').hits.length).toBeGreaterThan(0)
  })

  it('answers as many as are wanted, and no more', () => {
    expect(ids('session', { limit: 1 })).toHaveLength(1)
    expect(ids('session billing refunds 환불', { limit: 3 })).toHaveLength(3)
  })
})

describe('operators and options', () => {
  it('keep to a layer, a kind, a session', () => {
    expect(find(project, 'session layer:L2').hits.map(({ layer }) => layer)).toEqual(['L2'])
    expect(find(project, 'session', { layers: ['L2'] }).hits.map(({ layer }) => layer)).toEqual(['L2'])
    expect(ids('session type:decision')).toEqual(['d001'])
    expect(ids('session', { kinds: ['decision'] })).toEqual(['d001'])
    expect(new Set(find(project, 'billing', { session: 'cccc3333' }).hits.map(({ session }) => session))).toEqual(
      new Set(['cccc3333']),
    )
    expect(everyId(find(project, 'session token session:aaaa1111').hits)).toContain('n-aaaa1111-0-6')
  })

  it('mean both when both are given', () => {
    expect(ids('session type:decision', { layers: ['L1'] })).toEqual([])
    expect(ids('billing session:cccc3333', { session: 'aaaa1111' })).toEqual([])
    expect(ids('type:fact', { kinds: ['issue', 'note'] })).toEqual(['i001'])
  })

  it('keep to a time, by the day', () => {
    const days = (query: string, more: Partial<SearchRequest> = {}): string[] => [
      ...new Set(find(project, query, { limit: 50, ...more }).hits.map(({ date }) => date.slice(0, 10))),
    ]

    expect(days('session billing 환불 since:2026-01-08').toSorted()).toEqual(['2026-01-08', '2026-01-12'])
    expect(days('session billing 환불 until:2026-01-08').toSorted()).toEqual(['2026-01-05', '2026-01-08'])
    expect(days('session billing 환불', { since: '2026-01-08', until: '2026-01-08' })).toEqual(['2026-01-08'])
    expect(days('session billing 환불 since:yesterday')).toEqual(['2026-01-12'])
  })

  it('come without the quoted words behind those that hold them, where a question only names a title', () => {
    const strict = find(project, '"billing service" kubernetes cluster')
    const loose = find(project, 'why does the session token expire early in "War and Peace"?')

    expect(strict.hits[0]?.snippet).toContain('billing service')
    expect(strict.news.at(-1)).toMatch(/^Only the first \d+ contain the words in quotes\.$/)
    expect(loose.hits.length).toBeGreaterThan(0)
    expect(loose.news.at(-1)).toBe('No match contains the words in quotes; these are close.')
    expect(find(project, '"War and Peace"').hits).toEqual([])
    expect(find(project, '"War and Peace" session').hits).toEqual([])
  })

  it('hold a phrase in its order', () => {
    expect(everyId(find(project, '"old virtual machine"').hits).toSorted()).toEqual(['L1:cccc3333#2', 'i001'])
    expect(ids('"virtual old machine"')).toEqual([])
    expect(ids('"expires after 300 seconds"')).toEqual(['L1:aaaa1111#2'])
    expect(ids('"환불 요청"')).toEqual(['L1:bbbb2222#1'])
    expect(ids('"is not" "of the"')).toEqual([])
  })

  it('leave out what may not stand there', () => {
    const all = everyId(find(project, 'kubernetes', { limit: 20 }).hits)
    const without = everyId(find(project, 'kubernetes -frankfurt', { limit: 20 }).hits)

    expect(all).toContain('L1:cccc3333#0')
    expect(without).toContain('n-own')
    expect(without.filter((id) => ['L1:cccc3333#0', 'L1:cccc3333#2'].includes(id))).toEqual([])
  })

  it('name a file', () => {
    expect(everyId(find(project, 'file:session.ts', { limit: 20 }).hits).toSorted()).toEqual([
      'L1:aaaa1111#1',
      'L1:aaaa1111#3',
      'd001',
    ])
    expect(ids('', { file: 'deploy/*.yaml' })).toEqual(['L1:cccc3333#1'])
    expect(ids('maxAge file:session.ts', { kinds: ['tool'] })).toContain('L1:aaaa1111#1')
  })

  it('without words list the newest first', () => {
    expect(ids('type:prompt')).toEqual(['L1:cccc3333#0', 'L1:bbbb2222#0', 'L1:aaaa1111#0'])
    expect(ids('since:2026-01-12 type:tool,answer')).toEqual(['L1:cccc3333#2', 'L1:cccc3333#1'])
    expect(ids('type:prompt -billing')).toEqual(['L1:bbbb2222#0', 'L1:aaaa1111#0'])
    expect(find(project, '', { kinds: ['page'] }).hits[0]?.score).toBe(0)
  })

  it('that make no sense are refused', () => {
    for (const query of ['', '   ', 'type:nonsense', 'since:whenever'])
      expect(() => find(project, query)).toThrow(expect.objectContaining({ code: 'usage' }))
  })

  it('find a phrase of common words by reading, and say of common words alone that they are', () => {
    expect(ids('"because maxAge is given in"')).toEqual(['L1:aaaa1111#2'])
    expect(ids('"is still there"')).toEqual(['L1:cccc3333#2'])
    const { hits, news } = find(project, 'what is it')

    expect(hits).toEqual([])
    expect(news.join()).toContain('too common')
  })
})

describe('a word of one character', () => {
  const cats = remember({
    sessions: {
      dddd4444: { day: '2026-01-05', entries: [user('黒い猫がいる'), claude('犬もいる'), user('税 is due')] },
    },
  })

  it('is found inside of others where a script has no spaces', () => {
    const { hits } = find(cats, '猫')

    expect(hits.map(({ id }) => id)).toEqual(['L1:dddd4444#0'])
    expect(hits[0]?.marks).toEqual([[2, 3]])
    expect(find(cats, '税').hits.map(({ id }) => id)).toContain('L1:dddd4444#2')
    expect(find(cats, '鳥').hits).toEqual([])
  })
})

describe('the same event', () => {
  it('is told once: a note, its fact and the words they were taken from', () => {
    const { hits } = find(project, 'session token hour maxAge', { limit: 20 })
    const all = everyId(hits)

    expect(new Set(all).size).toBe(all.length)
    expect(all).toEqual(expect.arrayContaining(['n-aaaa1111-0-6', 'd001', 'L1:aaaa1111#5']))
    expect(hits.some(({ also }) => also.length > 0)).toBe(true)
  })

  it('in two sessions in the same words is one hit with the other beside it', () => {
    const twice = remember({
      sessions: {
        dddd4444: { day: '2026-01-05', entries: [user('Please rename the wombat table.')] },
        eeee5555: { day: '2026-01-06', entries: [user('Please rename the wombat table.')] },
      },
    })
    const { hits } = find(twice, 'wombat')

    expect(hits).toHaveLength(1)
    expect(everyId(hits).toSorted()).toEqual(['L1:dddd4444#0', 'L1:eeee5555#0'])
  })

  it('does not cost a place in the list', () => {
    const entries = Array.from({ length: 40 }, (_, i) => user(i % 4 === 0 ? `wombat number ${i}` : 'the same wombat'))
    const many = remember({ sessions: { dddd4444: { day: '2026-01-05', entries } } })

    expect(find(many, 'wombat', { limit: 8 }).hits).toHaveLength(8)
  })
})

describe('the first page', () => {
  const entries = (count: number, word: string): Entry[] =>
    Array.from({ length: count }, (_, i) => user(`the wombat ${word} ${i}`))
  const mine = remember({
    sessions: {
      dddd4444: { day: '2026-01-05', entries: entries(12, 'wombat sleeps') },
      eeee5555: { day: '2026-01-06', entries: entries(2, 'eats') },
    },
  })
  const sessions = (more: Partial<SearchRequest>): (string | null)[] =>
    find(mine, 'wombat', { limit: 6, ...more }).hits.map(({ session }) => session)

  it('has at most three entries of one session before those of others', () => {
    const [long, other] = ['dddd4444', 'eeee5555']

    expect(sessions({})).toEqual(Array(6).fill(long))
    expect(sessions({ isSpread: true })).toEqual([long, long, long, other, other, long])
    expect(sessions({ isSpread: true, session: long })).toEqual(Array(6).fill(long))
  })
})

describe('a word that nobody wrote', () => {
  it.each([
    ['kubernetis', 'kubernetes'],
    ['kuberentes', 'kubernetes'],
    ['billng', 'billing'],
    ['kube', 'kubernetes'],
    ['Frankfrut cluster', 'frankfurt'],
  ])('%s is taken for %s', (query, meant) => {
    const { hits, corrected } = find(project, query)

    expect(corrected.map(({ to }) => to)).toEqual([meant])
    expect(hits.length).toBeGreaterThan(0)
    expect(everyId(hits)).toContain('L1:cccc3333#0')
  })

  it.each(['getUsrById', 'get_usr_by_id', 'getUserByIdd'])(
    'inside an identifier whose parts are known: %s',
    (typed) => {
      const mine = remember({
        sessions: {
          dddd4444: {
            day: '2026-01-05',
            entries: [user('The id of a user.'), claude('getUserById reads it.'), user('Rename getOrderById.')],
          },
        },
      })

      expect(find(mine, typed)).toMatchObject({ corrected: [{ from: typed, to: 'getuserbyid' }], missing: [] })
      expect(find(mine, typed).hits[0]?.id).toBe('L1:dddd4444#1')
      expect(find(mine, 'getUser').corrected).toEqual([])
    },
  )

  it('in Korean is forgiven one syllable', () => {
    const { hits, corrected } = find(project, '멱동성')

    expect(corrected).toEqual([{ from: '멱동성', to: '멱등성' }])
    expect(hits[0]?.id).toBe('L1:bbbb2222#1')
  })

  it('is left alone when nothing is close, and what was written is never changed', () => {
    expect(find(project, 'xylophone')).toMatchObject({ hits: [], corrected: [] })
    for (const query of ['kubernetes', 'deploying', 'sessions', '환불이', 'maxAge'])
      expect(find(project, query).corrected).toEqual([])
  })
})

describe('the index in files', () => {
  it('finds the same in the same order as one in memory', () => {
    const onDisk = openSearcher(storeOf(project), { cacheDir: project.places.cacheDir, now })
    const inMemory = openSearcher(storeOf(project), { cacheDir: '', now })
    for (const query of [
      'session token',
      'billing kubernetes 환불',
      '"old virtual machine"',
      'kubernetis',
      'type:tool',
      'file:session.ts',
    ])
      expect(onDisk.find({ query, limit: 20 })).toEqual(inMemory.find({ query, limit: 20 }))
    onDisk.close()
    inMemory.close()
  })

  it('is not needed for a memory without a cache directory', () => {
    const searcher = openSearcher(storeOf(project), { cacheDir: '', now })

    expect(searcher.find({ query: 'session token' }).hits.map(({ id }) => id)).toEqual(ids('session token'))
    searcher.close()
  })
})

describe('whatever is asked', () => {
  it('is answered or refused, with hits that exist', () => {
    const query = fc.oneof(
      wildText,
      fc
        .array(
          fc.constantFrom(
            'session',
            'type:note',
            '-token',
            '"is an hour"',
            'since:3d',
            'file:a.ts',
            '환불',
            'kubernets',
            'the',
          ),
          {
            maxLength: 4,
          },
        )
        .map((words) => words.join(' ')),
    )
    const searcher = openSearcher(storeOf(project), { cacheDir: project.places.cacheDir, now })
    fc.assert(
      fc.property(query, fc.integer({ min: 1, max: 30 }), (text, limit) => {
        let found: Found
        try {
          found = searcher.find({ query: text, limit })
        } catch (error) {
          expect(error).toMatchObject({ code: 'usage' })
          return
        }
        expect(found.hits.length).toBeLessThanOrEqual(limit)
        const all = everyId(found.hits)
        expect(new Set(all).size).toBe(all.length)
        for (const { snippet, marks } of found.hits) {
          expect(snippet.length).toBeLessThanOrEqual(220)
          for (const [from, to] of marks) expect(from < to && to <= snippet.length).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
    searcher.close()
  })
})
