import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Recall, Remembrance } from '../../src/recall/pick.ts'
import { readPrompt } from '../../src/recall/prompt.ts'
import { judgePrompt } from '../../src/recall/recall.ts'
import { wildText } from '../support/briefing.ts'
import { answered, type Corpus, corpusOf, type Document, others, said, used } from '../support/corpus.ts'

const STORE = corpusOf([
  said('We moved the deploy pipeline from Jenkins to Buildkite since the agents were flaky.'),
  answered('The pipeline runs on Buildkite now; the agents restart every night.'),
  said('The migration of the invoices table failed with a lock timeout.', { session: 1 }),
  used('Bash psql -f alter-invoices.sql: canceling statement due to lock timeout', { session: 1 }),
  answered('I raised lock_timeout to 30s, and the invoices migration passed.', { session: 1 }),
  said('배포 스크립트에서 캐시 경로를 바꿨다. 디스크가 가득 찼기 때문이다.', { session: 2 }),
  said('My sister Petra visited Lisbon in spring and loved the tiles.', { session: 3 }),
  said('支払い画面の翻訳を英語に戻した。', { session: 4 }),
  ...others(60),
])

function recall(prompt: string, corpus: Corpus = STORE, more: Partial<Remembrance> = {}): Recall {
  const { columns, engine, documents } = corpus
  const unitOf = (doc: number): { text: string; state: string } | null => {
    const text = documents[doc]?.text
    return text === undefined ? null : { text, state: 'fresh' }
  }
  const sessionOf = (doc: number): string => String(columns.group[doc])
  const said = readPrompt(prompt) ?? { text: '', asks: null, names: [] }
  return judgePrompt(said, { columns, engine, unitOf, sessionOf, isNameKnown: () => false, ...more })
}

const toldIn = ({ picks }: Recall, { documents }: Corpus): string[] =>
  picks.map(({ doc, from, to }) => documents[doc]?.text.slice(from, to) ?? '')

const issue = (text: string, more: Partial<Document> = {}): Document =>
  said(text, { kind: 'issue', session: 9, ...more })

describe('a dead end that is about to be repeated', () => {
  const PUSH = '`git push origin main` fails: remote: error: GH006: Protected branch update failed.'
  const corpus = corpusOf([
    issue(PUSH),
    issue('`gh pr merge 234 --squash --auto` fails: Auto merge is not allowed for this repository'),
    issue('`npm run db:reset` fails: permission denied'),
    issue('`pdflatex paper.tex` fails: undefined control sequence'),
    issue('Refused: Bash rm -rf data – never delete that'),
    issue('Refused: Edit cmd/cli/state.go – let us talk first'),
    issue('Add Liechtenstein to the push messages'),
    ...others(60),
  ])

  it.each([
    ['commit and push please', 0],
    ['ok, push it', 0],
    ['merge the PR when it is green', 1],
    ['compile it with pdflatex', 3],
    ['change the struct in state.go', 5],
  ])('is told at %j', (prompt, doc) => {
    expect(recall(prompt, corpus)).toMatchObject({ signal: 'dead-end', picks: [{ doc, from: 0 }] })
  })

  it.each([
    'run the tests',
    'look at the PR',
    'what is the state of it',
    'add a country',
    'delete the footer',
    `${Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ')} push`,
  ])('is not seen in %j', (prompt) => {
    expect(recall(prompt, corpus).signal).toBeNull()
  })

  it('is none once it is resolved, or is about this session only', () => {
    expect(recall('push it', corpus, { unitOf: () => ({ text: PUSH, state: 'resolved' }) }).signal).toBeNull()
    expect(recall('push it', corpus, { unitOf: () => null }).signal).toBeNull()
  })
})

describe('a rare name', () => {
  const corpus = corpusOf([
    answered('PR #68 adds the fields. It is on feat/token-usage.', { session: 1 }),
    said('User: does PR #68 fix it?\nEnded: PR #68 was tested and lacks the first marker.', {
      kind: 'note',
      session: 1,
    }),
    said('User: and v0.43?', { kind: 'note', session: 2 }),
    used('Bash git log: v0.43 tagged', { session: 2 }),
    answered('state.go is complete.', { session: 3 }),
    answered('state.go is gone.', { session: 4 }),
    answered('state.go is back.', { session: 5 }),
    answered(`${'Long before it. '.repeat(20)}The flag token_usage is kept in the state. ${'And after. '.repeat(30)}`),
    ...others(60),
  ])

  it('brings the line of the newest note, else of the newest answer', () => {
    const note = recall('check out the branch of PR#68 to test it', corpus)
    expect(note).toMatchObject({ signal: 'name', verdict: 'It names #68, known from one earlier session.' })
    expect(toldIn(note, corpus)).toEqual(['Ended: PR #68 was tested and lacks the first marker.'])
    expect(toldIn(recall('rebase feat/token-usage', corpus), corpus)).toEqual([corpus.documents[0]?.text])
    const [long = ''] = toldIn(recall('rename token_usage', corpus), corpus)
    expect(long).toContain('The flag token_usage is kept')
    expect(long.length).toBeLessThanOrEqual(160)
  })

  it.each([
    ['that only a prompt or a tool has', 'tag v0.43 again', {}],
    ['of three sessions', 'open state.go', {}],
    ['that nobody knows', 'open login.go', {}],
    ['that this session has spoken of', 'check out the branch of PR#68', { isNameKnown: () => true }],
    ['whose entries this session has', 'check out the branch of PR#68', { isWanted: (doc: number) => doc > 1 }],
  ])('%s brings nothing', (_, prompt, more) => {
    expect(recall(prompt, corpus, more).signal).toBeNull()
  })
})

describe('a question', () => {
  it.each([
    ['Why did we move the pipeline to Buildkite?', 0],
    ['Which timeout did the invoices migration run into?', 1],
    ['캐시 경로를 왜 바꿨지?', 2],
    ['배포 스크립트에서 뭘 바꿨더라', 2],
    ['Where did Petra travel, was it Lisbon?', 3],
    ['支払い画面の翻訳はどうした？', 4],
  ])('%j is answered with session %i', (prompt, expected) => {
    const { signal, picks } = recall(prompt)

    expect(signal).toBe('question')
    expect(STORE.columns.group[picks[0]?.doc ?? 0]).toBe(expected)
  })

  it('is answered with the sentence that has its words, once', () => {
    const filler = 'Nothing of it matters much to anybody. '.repeat(12)
    const text = `${filler}The certificate of the gateway expired on 3 May. ${filler}`
    const corpus = corpusOf([said(text), said(text, { session: 1 }), ...others(60)])
    const told = toldIn(recall('when did the certificate of the gateway expire?', corpus), corpus)

    expect(told).toHaveLength(1)
    expect(told[0]).toContain('The certificate of the gateway expired on 3 May.')
  })

  it.each([
    'Let me look at the gateway certificate in the harbour:',
    'Now I will check the gateway certificate.',
    'Read src/gateway/certificate.ts',
    'Bash git log --oneline\nabc gateway certificate',
    'Bash npm test\n12 gateway certificate tests passed',
    '## Gateway certificate',
  ])('is never answered with %j', (text) => {
    const corpus = corpusOf([said(text, { kind: 'answer' }), ...others(60)])

    expect(recall('what did we do about the gateway certificate?', corpus).picks).toEqual([])
  })

  it.each([
    'hello, how are you?',
    'How did your weekend go?',
    'What time is it?',
    '안녕하세요 오늘 기분 어때요?',
    '주말에 뭐 했어?',
    'こんにちは、元気ですか？',
    '今天天气怎么样？',
    'Who is Gustav Mahler?',
    'How do I centre a div with flexbox?',
    'What did Gustav say about the pipeline?',
    'Which restaurant did Ottilie recommend in Graz?',
    'What was a migration?',
    'why did it fail?',
  ])('%j finds no answer', (prompt) => {
    expect(recall(prompt)).toMatchObject({ signal: null, picks: [] })
  })

  it('is not answered with what is unwanted or gone, nor in an empty store', () => {
    const asked = 'Why did we move the pipeline to Buildkite?'

    expect(recall(asked, STORE, { isWanted: (doc) => doc > 1 }).signal).toBeNull()
    expect(recall(asked, STORE, { unitOf: () => null })).toMatchObject({ signal: null, picks: [] })
    expect(recall(asked, corpusOf([])).signal).toBeNull()
  })

  // An index that is brought up to date in pieces holds more or fewer of them at the moment of a prompt.
  it.each([16, 20, 30])('may be about what a third of a small store is about, beside %i others', (count) => {
    const asked = Array.from({ length: 6 }, () => said('what colour did we paint the lighthouse?', { session: 1 }))
    const past = [
      said('Paint the lighthouse on the start page.'),
      answered('The lighthouse is painted in red and white stripes.'),
    ]
    const corpus = corpusOf([...past, ...asked, ...others(count)])
    const isWanted = (doc: number): boolean => corpus.columns.group[doc] !== 1
    const found = recall('what colour did we paint the lighthouse on the start page?', corpus, { isWanted })

    expect(found.picks.map(({ doc }) => doc)).toContain(1)
  })
})

describe('a report', () => {
  it('on what one earlier session worked on brings its note', () => {
    const corpus = corpusOf([
      ...STORE.documents,
      said('Ended: the deploy pipeline runs on Buildkite, its agents restart every night.', { kind: 'note' }),
    ])
    const { signal, picks } = recall('the deploy pipeline agents on Buildkite do not restart', corpus)

    expect(signal).toBe('built')
    expect(picks[0]?.doc).toBe(corpus.documents.length - 1)
  })

  it.each([
    'ok',
    'yes please',
    'continue',
    'Implement 1, 2 and 3.',
    'thanks, looks great!',
    'Buildkite',
    'rename invoices',
    'Write a haiku about autumn leaves',
    'fix the typo in the readme',
    '좋아 계속해',
  ])('is not %j', (prompt) => {
    expect(recall(prompt)).toMatchObject({ signal: null, picks: [] })
  })

  it('is none where the words stand far from each other, or in every session', () => {
    const words = ['deploy', 'pipeline', 'certificate', 'gateway', 'wombat']
    const gap = (from: number): string => Array.from({ length: 60 }, (_, i) => `gap${from}x${i}`).join(' ')
    const far = corpusOf([said(words.map((word, i) => `${word} ${gap(i)}`).join(' ')), ...others(60)])
    const near = corpusOf([said(`${gap(1)} ${words.join(' ')} ${gap(2)}`), ...others(60)])
    const everywhere = corpusOf(
      Array.from({ length: 8 }, (_, i) => said(words.join(' '), { session: i })).concat(others(60)),
    )

    expect(recall(words.join(' '), far).signal).toBeNull()
    expect(recall(words.join(' '), near).signal).toBe('built')
    expect(recall(words.join(' '), everywhere).signal).toBeNull()
  })
})

describe('any prompt', () => {
  const words = STORE.documents.flatMap(({ text }) => text.split(' '))
  const mixed = fc
    .array(fc.constantFrom(...words, 'why', 'did', 'we', '?', 'Gustav', '했지'), { maxLength: 20 })
    .map((all) => all.join(' '))

  it('is judged in one sentence, the same each time, with picks that lie inside their texts', () => {
    fc.assert(
      fc.property(fc.oneof(wildText, mixed, fc.string({ unit: 'binary' })), (prompt) => {
        const judged = recall(prompt)
        const { signal, verdict, scores, picks } = judged

        expect(recall(prompt)).toEqual(judged)
        expect(verdict).toMatch(/^[A-Z][^\n]*\.$/)
        expect(signal !== null).toBe(picks.length > 0)
        for (const score of Object.values(scores)) expect(Number.isFinite(score)).toBe(true)
        for (const { doc, from, to } of picks) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThanOrEqual(STORE.documents[doc]?.text.length ?? 0)
        }
        expect(new Set(picks.map(({ doc }) => doc)).size).toBe(picks.length)
      }),
      { numRuns: 300 },
    )
  })

  it.each(['word ', 'Name ', '메모리를 ', 'why did we ', '?', '\n', 'aB'])('of many times %j is judged', (unit) => {
    expect(recall(unit.repeat(20_000 / unit.length)).signal).toBeNull()
  })
})
