import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgePrompt, type Recall } from '../../src/recall/recall.ts'
import { wildText } from '../support/briefing.ts'
import { answered, type Corpus, corpusOf, others, said, used } from '../support/corpus.ts'

/** The longest excerpt, that of the best pick. */
const MOST = 220

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

function recall(prompt: string, corpus: Corpus = STORE, lastExchange = ''): Recall {
  return judgePrompt(prompt, lastExchange, corpus.columns, corpus.engine, {
    textOf: (doc) => corpus.documents[doc]?.text ?? null,
  })
}

describe('memory speaks up', () => {
  it.each([
    ['Why did we move the pipeline to Buildkite?', 0],
    ['Which timeout did the invoices migration run into?', 1],
    ['what was the lock timeout of the invoices migration?', 1],
    ['캐시 경로를 왜 바꿨지?', 2],
    ['배포 스크립트에서 뭘 바꿨더라', 2],
    ['Where did Petra travel, was it Lisbon?', 3],
    ['支払い画面の翻訳はどうした？', 4],
    ['move the deploy pipeline to Buildkite agents', 0],
  ])('at %j, with session %i', (prompt, expected) => {
    const { fires, picks } = recall(prompt)

    expect(fires).toBe(true)
    expect(STORE.columns.group[picks[0]?.doc ?? 0]).toBe(expected)
  })

  it('with the entry next to the one that holds the words', () => {
    expect(recall('Why did we move the pipeline from Jenkins?').picks.map(({ doc }) => doc)).toEqual([0, 1])
  })

  it('with the sentence that answers', () => {
    const filler = 'Nothing of it matters much to anybody. '.repeat(12)
    const text = `${filler}The certificate of the gateway expired on 3 May. ${filler}`
    const [pick] = recall(
      'when did the certificate of the gateway expire?',
      corpusOf([said(text), ...others(60)]),
    ).picks

    expect(text.slice(pick?.from, pick?.to)).toContain('The certificate of the gateway expired on 3 May.')
  })

  it('and says the same thing once', () => {
    const text = 'The certificate of the gateway expired in spring.'
    const { picks } = recall(
      'when did the gateway certificate expire?',
      corpusOf([said(text), said(text, { session: 1 }), ...others(60)]),
    )

    expect(picks).toHaveLength(1)
  })

  it('without what stands beside a hit, but belongs to another exchange', () => {
    const corpus = corpusOf([
      said('Paint the lighthouse on the start page.'),
      answered('It is painted in red and white stripes, as on the postcard.'),
      said('How many boats fit into the harbour table?'),
      used('Bash echo 48 rows'),
      answered('The harbour table has room for 48 boats, twelve on each pier.'),
      said('Rename the tide service.'),
      used('Bash git frobnicate tide'),
      ...others(60),
    ])
    const { picks } = recall('how many boats did we fit into the harbour?', corpus)

    expect(picks.filter(({ isHolding }) => isHolding).map(({ doc }) => doc)).toEqual(expect.arrayContaining([2, 4]))
    expect(picks.map(({ doc }) => doc).filter((doc) => ![2, 3, 4].includes(doc))).toEqual([])
  })

  it('with two at most that hold no word of it', () => {
    const tools = Array.from({ length: 6 }, (_, i) => used(`Bash echo step${i} of${i} it${i}`))
    const corpus = corpusOf([said('Why does the gateway certificate expire?'), ...tools, ...others(60)])
    const { picks } = recall('why did the gateway certificate expire?', corpus)

    expect(picks[0]).toMatchObject({ doc: 0, isHolding: true, isAsked: true })
    expect(picks.length).toBeLessThanOrEqual(3)
  })

  it('and knows what only repeats a prompt', () => {
    const asked = 'Move the gateway certificate to the new vault before spring.'
    const corpus = corpusOf([
      said(`Asked: ${asked}`, { kind: 'note', session: 1 }),
      said(asked),
      answered('The gateway certificate lies in the vault of the harbour office now.'),
      ...others(60),
    ])
    const { picks } = recall('where did we move the gateway certificate?', corpus)
    const asks = new Map(picks.map(({ doc, isAsked }) => [doc, isAsked]))

    expect(asks.get(2)).toBe(false)
    expect([...asks.values()].filter((isAsked) => isAsked)).toHaveLength(1)
  })

  it.each([
    ['Asked', true],
    ['Result', false],
  ])('and knows what a note tells under %s', (label, isAsked) => {
    const told = `${label}: The gateway certificate is to move to the new vault before spring.`
    const rest = `Changed: ${Array.from({ length: 30 }, (_, i) => `src/part${i}.ts`).join(', ')}`
    const corpus = corpusOf([said(`${told}\n${rest}`, { kind: 'note' }), ...others(60)])

    expect(recall('where did we move the gateway certificate?', corpus).picks).toMatchObject([{ doc: 0, isAsked }])
  })

  // An index that is brought up to date in pieces holds more or fewer of them at the moment of a prompt.
  it.each([16, 17, 18, 19, 20, 30])('about what a third of a small store is about, beside %i others', (count) => {
    const question = 'what colour did we paint the lighthouse?'
    const asked = Array.from({ length: 6 }, () => said(question, { session: 1 }))
    const past = [
      said('Paint the lighthouse on the start page.'),
      answered('The lighthouse is painted in red and white stripes.'),
    ]
    const { columns, engine, documents } = corpusOf([...past, ...asked, ...others(count)])
    const { fires, picks } = judgePrompt(`${question.slice(0, -1)} on the start page?`, '', columns, engine, {
      textOf: (doc) => documents[doc]?.text ?? null,
      isWanted: (doc) => columns.group[doc] !== 1,
    })

    expect(fires).toBe(true)
    expect(picks.find(({ doc }) => doc === 1)).toMatchObject({ isHolding: true, isAsked: false })
  })

  it('only with what is wanted', () => {
    const { columns, engine, documents } = STORE
    const found = judgePrompt('Why did we move the pipeline to Buildkite?', '', columns, engine, {
      textOf: (doc) => documents[doc]?.text ?? null,
      isWanted: (doc) => doc > 1,
    })

    expect(found).toMatchObject({ fires: false, picks: [] })
  })
})

describe('memory is silent', () => {
  it.each([
    'hello, how are you?',
    'thanks, looks great!',
    'ok',
    'yes please',
    'continue',
    'How did your weekend go?',
    'good morning',
    'What time is it?',
    '안녕하세요 오늘 기분 어때요?',
    '고마워 수고했어',
    '점심 뭐 먹었어?',
    '주말에 뭐 했어?',
    '좋아 계속해',
    'こんにちは、元気ですか？',
    '今天天气怎么样？',
    '',
    '???',
  ])('at small talk: %j', (prompt) => {
    expect(recall(prompt)).toMatchObject({ fires: false, picks: [] })
  })

  it.each([
    'Write a haiku about autumn leaves',
    'Who is Gustav Mahler?',
    'How do I centre a div with flexbox?',
    'What did Gustav say about the pipeline?',
    'Which restaurant did Ottilie recommend in Graz?',
    'fix the typo in the readme',
  ])('at what it knows nothing of: %j', (prompt) => {
    expect(recall(prompt)).toMatchObject({ fires: false, picks: [] })
  })

  it.each([
    'Buildkite',
    'What was a migration?',
    'kubernetes',
    'tell me about Jenkins',
    'rename invoices',
    'Did you eat the invoices?',
  ])('at one rare word alone: %j', (prompt) => {
    expect(recall(prompt).fires).toBe(false)
  })

  it('in an empty store', () => {
    expect(recall('Why did we move the pipeline to Buildkite?', corpusOf([])).fires).toBe(false)
  })

  it('where all words stand in one long text, but far from each other', () => {
    const words = ['deploy', 'pipeline', 'certificate', 'gateway', 'wombat']
    const gap = (from: number): string => Array.from({ length: 60 }, (_, i) => `gap${from}x${i}`).join(' ')
    const far = corpusOf([said(words.map((word, i) => `${word} ${gap(i)}`).join(' ')), ...others(60)])
    const near = corpusOf([said(`${gap(1)} ${words.join(' ')} ${gap(2)}`), ...others(60)])

    expect(recall(words.join(' '), far).fires).toBe(false)
    expect(recall(words.join(' '), near).fires).toBe(true)
  })

  it.each([1, 2])('where its words stand in every document of %i', (each) => {
    const corpus = corpusOf(
      Array.from({ length: 40 }, (_, i) =>
        said(i % each === 0 ? `the deploy pipeline number${i}` : `remark${i} aside${i}`, { session: i }),
      ),
    )

    expect(recall('deploy pipeline', corpus).fires).toBe(false)
    expect(recall('Why did we deploy the pipeline?', corpus).fires).toBe(false)
  })

  it('where the texts are gone, and does not say that it speaks', () => {
    const { columns, engine } = STORE
    const gone = judgePrompt('Why did we move the pipeline to Buildkite?', '', columns, engine, {
      textOf: () => null,
    })

    expect(gone).toMatchObject({ fires: false, picks: [] })
    expect(gone.verdict).not.toBe(recall('Why did we move the pipeline to Buildkite?').verdict)
  })
})

describe('the last exchange', () => {
  const corpus = corpusOf([
    said('The upload step failed with a broken pipe.'),
    said('The invoices migration: its second step failed with a lock timeout.', { session: 1 }),
    said('The thumbnail step failed with an empty image.', { session: 2 }),
    ...others(60),
  ])

  it('gives a subject to a question that has none', () => {
    expect(recall('why did it fail?', corpus).fires).toBe(false)
    expect(recall('why did it fail?', corpus, 'The invoices migration and its lock timeout.').picks[0]?.doc).toBe(1)
  })

  it.each([
    'Write a haiku about autumn',
    'hello, how are you?',
    'Did it work?',
    'what happened?',
    'Was it good?',
    'ok?',
  ])('alone is no evidence: %j', (prompt) => {
    expect(recall(prompt, corpus, 'the invoices migration with a lock timeout').fires).toBe(false)
  })

  it.each([
    ['배포 스크립트의 캐시 경로를 다시 보자.', 0],
    ['업로드 서버의 용량을 다시 보자.', 1],
  ])('gives a subject to a Korean question as well: %s', (last, expected) => {
    const korean = corpusOf([
      said('배포 스크립트의 캐시 경로 때문에 실패했다.'),
      said('업로드 서버의 용량이 모자라기 때문에 실패했다.', { session: 1 }),
      ...others(60),
    ])

    expect(recall('왜 실패했지?', korean, last).picks[0]?.doc).toBe(expected)
  })
})

describe('the verdict', () => {
  it.each([
    [
      'Why did we move the pipeline to Buildkite?',
      'It asks about what was, and 100 % of its telling words stand together in one memory.',
    ],
    [
      'move the deploy pipeline to Buildkite agents',
      'It is about something known, and 100 % of its telling words stand together in one memory.',
    ],
    ['hello, how are you?', 'Nothing remembered holds a telling word of it.'],
    ['What was Buildkite?', 'It asks about what was, and 100 % of its telling words stand together in one memory.'],
    ['What was the first migration?', 'It names one thing only, or none.'],
    ['Did you eat the invoices?', 'No memory holds enough telling words of it together.'],
    ['Lisbon tiles haiku sonnet ballad limerick ode', 'What is remembered covers only 57 % of what it is about.'],
    [
      'What did Gustav say about the Buildkite pipeline?',
      'What is remembered says too little about it: 0.25, where more than 0.75 is needed.',
    ],
  ])('on %j is: %s', (prompt, expected) => {
    expect(recall(prompt).verdict).toBe(expected)
  })

  it('tells of words that stand in one text, but not together', () => {
    const gap = Array.from({ length: 20 }, (_, i) => `gap${i}`).join(' ')
    const { verdict } = recall('gateway wombat', corpusOf([said(`gateway ${gap} wombat`), ...others(60)]))

    expect(verdict).toBe('Its telling words never stand together in what is remembered.')
  })
})

describe('any prompt', () => {
  const words = STORE.documents.flatMap(({ text }) => text.split(' '))
  const mixed = fc
    .array(fc.constantFrom(...words, 'why', 'did', 'we', '?', 'Gustav', '했지'), { maxLength: 20 })
    .map((all) => all.join(' '))
  const prompts = fc.oneof(wildText, mixed, fc.string({ unit: 'binary' }))

  it('is judged in one sentence, with sound scores, and picks that lie inside their texts', () => {
    fc.assert(
      fc.property(prompts, wildText, (prompt, last) => {
        const { fires, verdict, scores, picks } = recall(prompt, STORE, last)

        expect(verdict).toMatch(/^[A-Z][^\n]*\.$/)
        expect(fires).toBe(picks.length > 0)
        for (const score of Object.values(scores)) expect(Number.isFinite(score)).toBe(true)
        for (const { doc, from, to } of picks) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThanOrEqual(STORE.documents[doc]?.text.length ?? 0)
          expect(to - from).toBeLessThanOrEqual(MOST)
        }
        expect(new Set(picks.map(({ doc }) => doc)).size).toBe(picks.length)
        expect(picks.filter(({ isHolding }) => !isHolding).length).toBeLessThanOrEqual(2)
        expect(picks.length === 0 || picks.some(({ isHolding }) => isHolding)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('is judged the same each time, and needs more than it has when memory is silent for want of evidence', () => {
    fc.assert(
      fc.property(mixed, (prompt) => {
        const { fires, verdict, scores } = recall(prompt)
        const { strength = 0, needed = 0 } = scores

        expect(recall(prompt)).toEqual(recall(prompt))
        if (fires) expect(strength).toBeGreaterThan(needed)
        if (/too little/.test(verdict)) expect(strength).toBeLessThanOrEqual(needed)
      }),
      { numRuns: 300 },
    )
  })

  it.each(['word ', 'Name ', '메모리를 ', 'why did we ', '?', '\n', 'aB'])('of many times %j is judged', (unit) => {
    expect(recall(unit.repeat(20_000 / unit.length)).fires).toBe(false)
  })
})
