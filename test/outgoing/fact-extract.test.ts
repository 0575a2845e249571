/** Facts found without a model. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NewFact, NO_FACTS } from '../../src/knowledge/fact.ts'
import { addFacts } from '../../src/knowledge/fact-add.ts'
import { extractFacts } from '../../src/outgoing/fact-extract.ts'
import type { Entry } from '../../src/transcript/session.ts'
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
        by: 'user',
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

  it.each([
    ['It turns out that the webhook arrives twice whenever the answer takes longer than 10 seconds.'],
    ['The trick is to freeze the clock before the page is loaded.'],
    ['The root cause was a shared fixture, so always clone it before changing it.'],
    ['알고 보니 응답이 10초를 넘으면 웹훅이 두 번 온다.'],
    ['핵심은 페이지를 불러오기 전에 시계를 고정하는 것입니다.'],
  ])('learn %j', (text) => {
    expect(factsOf(user('why?'), claude(text)).map((fact) => [fact.type, fact.evidence.by])).toEqual([
      ['pattern', 'assistant'],
    ])
  })

  it.each([
    ['a question', user('Should we always use Redis instead of files?')],
    ['a supposition', user('Suppose we decided to use Rust for all of it.')],
    ['a supposition in Korean', claude('만약 지원하기로 결정하면 빌드 설정도 바꿔야 합니다.')],
    ['a quotation', user('What does this mean: "We decided to use Kafka for all events, never the API."')],
    ['a quoted block', user('Estimate this:\n\n> We will use refresh tokens instead of long sessions.')],
    ['pasted code', user('Summarise this:\n```\nWe agreed to always use the blue button.\n```')],
    ['what a page says', claude('The guide says that we never call the API directly and use Kafka instead of REST.')],
    ['a tool', bash('cat README.md', true, 'We decided to use MongoDB. Always run as root.')],
    ['an offer', claude('I could use zod instead of yup here, would you like me to?')],
    ['what a file holds', claude('- `paper_v2.pdf` (current) - Updated the title and fixed the margins')],
  ])('are none of %s', (_, entry) => {
    expect(factsOf(entry)).toEqual([])
  })

  it('are the decisions in a table that says so', () => {
    const facts = factsOf(
      user('plan the billing module'),
      claude(
        'The plan:\n\n| Topic | Decision | Why |\n|---|---|---|\n| Storage | integer cents in Postgres | floats lose money |\n| Currency | TBD | – |\n\n| Library | Size |\n|---|---|\n| dayjs | 2 kB instead of 20 |',
      ),
    )

    expect(facts.map(({ text, reason }) => [text, reason])).toEqual([
      ['Storage: integer cents in Postgres', 'floats lose money'],
    ])
    expect(facts[0]?.evidence.quote).toBe('| Storage | integer cents in Postgres | floats lose money |')
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

describe('what people type in a hurry', () => {
  const kinds = (...entries: Entry[]): string[] =>
    factsOf(...entries).map(({ type, status }) => (status === null ? type : `${status} ${type}`))

  it.each([
    ['lets put the thumbnails behind the cdn, s3 is too slow', 'decision'],
    ['careful, the seed script truncates the users table', 'pattern'],
    ['the proxy problem is sorted, it was the vpn', 'resolved issue'],
    ['apple pay doesnt work in the app yet', 'open issue'],
    ['알림은 전부 kafka로 갈게', 'decision'],
    ['通知はkafkaでいこう、他は重い', 'decision'],
    ['通知就用kafka吧，别的太重', 'decision'],
  ])('is a fact: %s', (text, kind) => {
    expect(kinds(user(text))).toEqual([kind])
  })

  it.each([
    'the manual says you should never call it twice',
    'i think we could maybe use kafka, not sure yet',
    'check if the proxy problem is fixed',
    'hold on, dont push anything yet',
    'let’s keep pushing forward together',
    '배포 서버가 고쳐졌는지 확인해줘',
    '그렇게 말고 원래 방식대로 돌려놔',
    '上传修好了没有',
  ])('is none: %s', (text) => {
    expect(kinds(user(text))).toEqual([])
  })

  it('is an open issue where nothing came after it, and none where it was worked on', () => {
    const complaint = user('the invoice pdf is broken again')

    expect(kinds(user('hi'), claude('Hello.'), complaint)).toEqual(['open issue'])
    expect(kinds(complaint, edit('src/pdf.ts'), claude('Have a look.'))).toEqual([])
    expect(kinds(complaint, claude('Which browser is it?'))).toEqual([])
  })

  it('is told without the files that were dropped before it', () => {
    const [fact] = factsOf(user("'/home/me/a b.png' I want all commits to be signed since last week."))

    expect(fact?.text).toBe('I want all commits to be signed since last week.')
  })
})

describe('a fact in the words of a conversation', () => {
  it('is told without what belongs to the conversation, with the words as they stand', () => {
    const [fact] = factsOf(user("Yes, let's keep prices in whole cents."))

    expect(fact).toMatchObject({
      text: "Let's keep prices in whole cents.",
      evidence: { quote: "Yes, let's keep prices in whole cents." },
    })
    expect(factsOf(user('Remember, always run pnpm test before you commit.'))).toMatchObject([
      { type: 'decision', text: 'Always run pnpm test before you commit.' },
    ])
  })

  it('says what "it" is', () => {
    const said = 'Done. I found a bug: two tabs refreshing at the same time log the user out. I have not fixed it yet.'

    expect(factsOf(user('go'), claude(said))).toMatchObject([
      {
        status: 'open',
        text: 'I found a bug: two tabs refreshing at the same time log the user out.',
        evidence: { quote: said.slice(6) },
      },
    ])
    expect(factsOf(user('go'), claude('I have not fixed it yet.'))).toEqual([])
  })

  it('is open from an earlier turn if nobody did or said anything about it since', () => {
    const open = claude('Switched. The migration script still fails on the staging server with error ECONNREFUSED.')
    const texts = (...entries: Entry[]): string[] => factsOf(...entries).map(({ text }) => text)

    expect(texts(user('go'), open, user('Good night!'), claude('Good night.'))).toEqual([
      'The migration script still fails on the staging server with error ECONNREFUSED.',
    ])
    expect(texts(user('go'), open, user('again'), bash('npm run migrate'), claude('Good night.'))).toEqual([])
    expect(texts(user('go'), open, user('again'), claude('The migration went through.'))).toEqual([])
  })

  it('closes what is known to be open, and begins no issue of its own', () => {
    const said = [user('go'), claude('The invoice PDF no longer rounds by itself: it takes the cents.')]
    const find = (known: string[]): NewFact[] => extractFacts('abcdefgh', session(said), 10, known)

    expect(find(['The invoice PDF rounds by itself.'])).toMatchObject([{ type: 'issue', status: 'resolved' }])
    expect(find([])).toEqual([])
  })

  it('is about no file that an instruction does not name, and about none of the next turn', () => {
    expect(factsOf(user('Always run the tests before you commit.'), edit('src/price.ts'))[0]?.files).toEqual([])
    expect(factsOf(user('Never edit src/legacy.ts by hand.'), edit('src/price.ts'))[0]?.files).toEqual([
      'src/legacy.ts',
    ])
    const decided = user("Let's keep the old parser for one more release.")
    expect(factsOf(decided, claude('Fine.'), user('Now the docs.'), edit('docs/a.md'))[0]?.files).toEqual([])
  })

  it("is Claude's where it says how the project does something, and why", () => {
    expect(factsOf(user('go'), claude('Done. I validate with zod because it infers types.'))).toMatchObject([
      { type: 'decision', evidence: { by: 'assistant' } },
    ])
    expect(factsOf(user('go'), claude('I suggest zod because it infers types.'))).toEqual([])
  })
})
