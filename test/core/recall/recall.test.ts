/** When recall fires, in which order its signals are tried, and which texts may be told. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPrompt } from '../../../src/core/recall/prompt.ts'
import { judgePrompt, mayFire } from '../../../src/core/recall/recall.ts'
import type { Recall, Remembrance } from '../../../src/core/recall/remembrance.ts'
import { wildText } from '../../support/briefing.ts'
import { answered, type Document, others, said, used } from '../../support/corpus.ts'
import { comment, type Known, memoryOf, ran, refused, with_ } from '../../support/remembrance.ts'

function recall(prompt: string, memory: Remembrance): Recall {
  const read = readPrompt(prompt)
  if (read === null || !mayFire(read, memory)) return { signal: null, verdict: 'Nothing.', scores: {}, picks: [] }
  return judgePrompt(read, memory, () => true)
}

const toldIn = ({ picks }: Recall): string[] => picks.map(({ sentences }) => sentences[0] ?? '')
const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}T12:00:00Z`

describe('an ordered operation', () => {
  const PROTECTED = 'remote: error: main is protected, changes go by pull request.'
  const failed = ran('git push origin main', `Exit code 1\nTo host\n${PROTECTED}\n`, false, { at: day(2) })
  const memory = memoryOf([said('Push it.', { at: day(2) }), failed, ...others(60)])

  it.each([
    'push it',
    'ok, push',
    'push',
    'Push. Then take the next issue.',
    'no problem, push it',
    'commit and push please',
    'now push it to the server',
    '푸시해줘',
    'main에 푸시해줘',
    '推送',
    'プッシュして',
    '커밋하고 푸시해',
  ])('brings the words with which a server refused it before: %s', (prompt) => {
    const found = recall(prompt, memory)

    expect(found).toMatchObject({ signal: 'operation', once: 'push' })
    expect(toldIn(found)).toEqual([`git push origin main failed: ${PROTECTED}`])
  })

  it.each([
    'the push failed again',
    'did you push it?',
    'merge it',
    'no auto-push, please',
    '푸시 알림 예약 발송 기능 넣어줘',
    `push it${' and tell me what you think of it'.repeat(6)}`,
    'wait, push later',
    "don't commit and push it",
    'push notifications do not arrive',
    '푸시하지 마',
    '푸시하지 말고 기다려',
    'プッシュしないで',
    '不要推送',
    '推送通知没有收到',
  ])('is none in %j', (prompt) => {
    expect(recall(prompt, memory).signal).toBeNull()
  })

  it.each([
    ['git merge feat', 'merge it', 'merge conflict in cart.ts', 'Merge sort is too slow here'],
    ['npm run release', 'cut a release', 'Release notes are missing', 'release.ts is too long'],
    ['git commit -m x', 'commit', 'commit messages are too long', '커밋하지 마', '提交按钮的颜色不对'],
    ['gh pr create', 'open a PR', 'PR looks good', 'the PR is open'],
  ])('is the word that ends its clause, and no part of the name of a thing: %s', (cmd, order, ...names) => {
    const denied = memoryOf([ran(cmd, 'It is not allowed here', false), ...others(60)])

    expect(recall(order, denied).signal).toBe('operation')
    for (const name of names) expect(recall(name, denied).signal).toBeNull()
  })

  it('brings the words of a server, where others of the same line may have failed', () => {
    const lint = (output: string): Remembrance =>
      memoryOf([ran('npm run lint && git push origin main', output, false), ...others(60)])

    expect(recall('push it', lint("Exit code 1\n'name' is required")).signal).toBeNull()
    expect(toldIn(recall('push it', lint(PROTECTED)))).toEqual([`git push origin main failed: ${PROTECTED}`])
  })

  it('brings nothing where the branch was only behind', () => {
    const behind = '! [rejected] main -> main (fetch first)\nhint: Updates were rejected because you are behind.'

    expect(recall('push it', memoryOf([ran('git push', behind, false), ...others(60)])).signal).toBeNull()
  })

  it.each(['git push', 'git push origin HEAD:main', 'git push origin HEAD'])(
    'brings nothing once the branch took another push: %s',
    (cmd) => {
      const docs = [failed, ran(cmd, 'done', true, { at: day(3), session: 1 }), ...others(60)]

      expect(recall('push it', memoryOf(docs, { branch: () => 'main' })).signal).toBeNull()
    },
  )

  it('brings nothing once the same call has passed, and something while only another one has', () => {
    const later = (cmd: string): Remembrance =>
      memoryOf([failed, ran(cmd, 'done', true, { at: day(3), session: 1 }), ...others(60)])

    expect(recall('push it', later('git push -u origin main 2>&1')).signal).toBeNull()
    expect(recall('push it', later('git push origin feat/prices')).signal).toBe('operation')
  })

  it('is another word inside a longer one, as in Korean', () => {
    const merged = ran('gh pr merge 12 --auto 2>&1', 'Auto merge is not allowed', false)

    expect(toldIn(recall('머지해줘', memoryOf([merged, ...others(60)])))).toEqual([
      'gh pr merge 12 failed: Auto merge is not allowed',
    ])
    expect(recall('나머지는 나중에', memoryOf([merged, ...others(60)])).signal).toBeNull()
  })

  it('brings nothing where it failed for another reason, or for a branch that is not at hand', () => {
    const timeout = ran('git push origin main', 'Exit code 1\ntimeout of the harbour', false)

    expect(recall('push it', memoryOf([timeout, ...others(60)])).signal).toBeNull()
    const elsewhere = { ...memory, branch: () => 'feat/prices' }
    expect(recall('push it', elsewhere).signal).toBeNull()
    expect(recall('push it to main', elsewhere).signal).toBe('operation')
  })

  it('brings the short prompt with which the user forbade it for a branch', () => {
    const banned = (text: string): Remembrance => memoryOf([said(text), ...others(60)])

    expect(toldIn(recall('push it', banned("don't push to main")))).toEqual(["don't push to main"])
    expect(recall('push it', banned("don't push it yet")).signal).toBeNull()
    for (const order of ['No, push it to main.', 'no problem, push it to main', "don't wait, push it to main"])
      expect(recall('push it', banned(order)).signal).toBeNull()
    for (const order of ['정말 main에 푸시했네', '4월 말까지 main에 푸시해줘'])
      expect(recall('푸시해줘', banned(order)).signal).toBeNull()
    expect(recall('push it', banned('no direct push to main')).signal).toBe('operation')
    expect(recall('push it', banned(`never push to main${', as I said '.repeat(6)}`)).signal).toBeNull()
  })

  it('brings nothing that was forbidden once it passed on that branch', () => {
    const passed = (cmd: string): Remembrance =>
      memoryOf([said("don't push to main"), ran(cmd, 'done', true, { at: day(20) }), ...others(60)])

    expect(recall('push it', passed('git push origin main')).signal).toBeNull()
    expect(recall('push it', passed('git push origin feat')).signal).toBe('operation')
  })

  describe('that runs a task', () => {
    const work = (reason: string): Known[] => [
      refused('make bench-all', { session: 1, at: day(2) }),
      comment('too slow today', { session: 1, at: day(2) }),
      refused('make bench-all', { session: 2, at: day(4) }),
      comment(reason, { session: 2, at: day(4) }),
      ran('make bench-small', 'fast', true, { session: 2, at: day(4) }),
    ]

    it('brings what the user said when refusing it in two sessions, and what ran', () => {
      const found = recall('run the benchmarks', memoryOf([...work('only the small ones, please'), ...others(60)]))

      expect(found).toMatchObject({ signal: 'operation', once: 'make bench-all' })
      expect(toldIn(found)).toEqual([
        '`make bench-all` was refused in 2 sessions; `make bench-small` ran; the user, last: “only the small ones, please”',
      ])
    })

    it('brings nothing where the comment is about who acts, the task ran since, or only its word is said', () => {
      const all = work('only the small ones, please')
      const since = ran('make bench-all', 'done', true, { session: 3, at: day(5) })

      expect(recall('run the benchmarks', memoryOf([...work("I'll do it"), ...others(60)])).signal).toBeNull()
      expect(recall('run the benchmarks', memoryOf([...all, since, ...others(60)])).signal).toBeNull()
      expect(recall('add benchmarks', memoryOf([...all, ...others(60)])).signal).toBeNull()
      expect(recall('run bench-small', memoryOf([...all, ...others(60)])).signal).toBeNull()
    })
  })
})

describe('a question about what was last or comes next', () => {
  const OPEN = 'Rows with two dates are still dropped; the fix of the importer waits for the review of #88.'
  const docs = [
    said('Repair the importer.', { session: 1, at: day(5) }),
    answered(`## Result\n\nThe parser is new. ${OPEN} Shall I go on?`, { session: 1, at: day(5) }),
    said('And the importer tests?', { session: 2, at: day(6) }),
    answered('Let me look at the importer.', { session: 2, at: day(6) }),
    ran('ls', 'importer', true, { session: 2, at: day(6) }),
    ...others(60),
  ]
  const stands = { source: { id: 'L1:00000007#9', kind: 'answer', at: day(7), state: '' }, score: 1, from: 0 } as const
  const memory = memoryOf(docs, { standing: () => ({ ...stands, sentences: ['The footer waits for the lawyer.'] }) })

  it('brings where the newest session of the branch stands', () => {
    expect(recall('where were we yesterday?', memory).signal).toBe('standing')
    expect(toldIn(recall("what's next?", memory))).toEqual(['The footer waits for the lawyer.'])
    expect(recall("what's next?", memoryOf(docs)).signal).toBeNull()
    for (const asked of ['지난번에 어디까지 했지?', '上次做到哪了？', '次は？'])
      expect(toldIn(recall(asked, memory))).toEqual(['The footer waits for the lawyer.'])
  })

  it('brings the newest closing answer that holds the name in it', () => {
    expect(toldIn(recall('where did we leave the importer?', memory))).toEqual([OPEN])
  })
})

describe('a pasted error', () => {
  const LINE = 'TypeError: harbour.lanterns is not a function at line 12'
  const turn = (ok: boolean): Known[] => [
    said('Light the lanterns.', { session: 1 }),
    ran('npm run light', `Exit code 1\n${LINE}`, ok, { session: 1 }),
    answered('The lanterns were undefined, because the harbour is loaded late. It waits for it now.', { session: 1 }),
  ]

  it('brings the closing answer of the turn that met it, whatever its numbers are', () => {
    const found = recall(`it stops again:\n${LINE.replace('12', '77')}`, memoryOf([...turn(false), ...others(60)]))

    expect(found.signal).toBe('error')
    expect(toldIn(found)).toEqual(['The lanterns were undefined, because the harbour is loaded late.'])
  })

  it('brings the sentence that holds a rare word of the line, and nothing where none does', () => {
    const asked = (text: string): Recall => {
      const common = Array.from({ length: 20 }, (_, n) => said(`A thing failed ${n}.`, { session: 30 + n }))
      const line = 'The lanterns failed at 12 of the harbour'
      const turn = [
        said('Go.', { session: 1 }),
        ran('make', line, false, { session: 1 }),
        answered(text, { session: 1 }),
      ]
      return recall(line, memoryOf([...turn, ...common, ...others(60)]))
    }

    expect(toldIn(asked('I saw what failed. The harbour had no oil.'))).toEqual(['The harbour had no oil.'])
    expect(asked('I saw what failed. There was no oil.').signal).toBeNull()
  })

  it('brings nothing where programs say so in more than two sessions', () => {
    const turns = [11, 12, 13].map((session) => turn(false).map((one) => ({ ...one, session })))

    expect(recall(LINE, memoryOf([...turns.slice(1).flat(), ...others(60)])).signal).toBe('error')
    expect(recall(LINE, memoryOf([...turns.flat(), ...others(60)])).signal).toBeNull()
  })

  it('brings nothing where the line was only read', () => {
    expect(recall(`it stops again:\n${LINE}`, memoryOf([...turn(true), ...others(60)])).signal).toBeNull()
  })
})

describe('a number or a branch', () => {
  const told = 'PR #68 was tested and lacks the first marker.'
  const docs: Known[] = [
    said('Test PR 68.', { session: 1 }),
    answered(`All is built. ${told}`, { session: 1 }),
    said('And open a pull request.', { session: 2 }),
    with_(used('Bash gh pr create', { session: 2 }), {
      name: 'Bash',
      cmd: 'gh pr create',
      ok: true,
      output: 'https://example.com/shop/pull/70',
    }),
    answered('Opened #70.', { session: 2 }),
    ...[3, 4, 5].map((session) => answered('#71 is merged.', { session })),
    ...others(60),
  ]
  const memory = memoryOf(docs)

  it.each(['check out #68 to test it', 'look at https://example.com/shop/pull/68'])(
    'brings the sentence of the newest closing answer: %s',
    (prompt) => {
      const found = recall(prompt, memory)

      expect(found).toMatchObject({ signal: 'reference', verdict: 'It names #68, known from one earlier session.' })
      expect(toldIn(found)).toEqual([told])
    },
  )

  it.each([
    ['of which only the creation is known', 'look at #70', {}],
    ['of three sessions', 'look at #71', {}],
    ['that nobody knows', 'look at #72', {}],
    ['that this session has spoken of', 'look at #68', { said: () => ['PR 68 again'] }],
  ])('%s brings nothing', (_, prompt, more) => {
    expect(recall(prompt, memoryOf(docs, more)).signal).toBeNull()
  })

  it('is a key only where a branch has its prefix, or the memory knows another number', () => {
    const about = (name: string, session: number): Known[] => [
      said('Go.', { session }),
      answered(`${name} is done.`, { session }),
    ]
    const one = [...about('ENT-98', 1), ...others(60)]
    const two = [...about('ENT-98', 1), ...about('ENT-7', 2), ...others(60)]

    expect(recall('look at ENT-98', memoryOf(one)).signal).toBeNull()
    expect(recall('look at ENT-98', memoryOf(two)).signal).toBe('reference')
    for (const [branch, signal] of [
      ['fix/ent-12-login', 'reference'],
      ['fix/entry', null],
    ] as const)
      expect(recall('look at ENT-98', memoryOf(one, { branches: () => new Set([branch]) })).signal).toBe(signal)
  })

  it('brings where a branch of few sessions stands, unless it is the one at hand', () => {
    const branches = (): Set<string> => new Set(['feat/prices', 'develop'])
    const pick = {
      source: { id: 'x', kind: 'answer', at: '', state: '' },
      score: 1,
      from: 0,
      sentences: ['Done.'],
    } as const
    const standing = (branch: string | null): typeof pick | null => (branch === 'feat/prices' ? pick : null)

    expect(recall('rebase feat/prices', memoryOf(docs, { branches, standing })).signal).toBe('reference')
    expect(recall('rebase develop', memoryOf(docs, { branches, standing })).signal).toBeNull()
    const own = { branches, standing, branch: () => 'feat/prices' }
    expect(recall('rebase feat/prices', memoryOf(docs, own)).signal).toBeNull()
  })
})

const STORE: readonly Known[] = [
  said('We moved the deploy pipeline from Jenkins to Buildkite since the agents were flaky.'),
  answered('The pipeline runs on Buildkite now; the agents restart every night.'),
  said('The migration of the invoices table failed with a lock timeout.', { session: 1 }),
  answered('I raised lock_timeout to 30s, and the invoices migration passed.', { session: 1 }),
  said('배포 스크립트에서 캐시 경로를 바꿨다. 디스크가 가득 찼기 때문이다.', { session: 2 }),
  said('支払い画面の翻訳を英語に戻した。', { session: 4 }),
  ...others(60),
]

describe('a new question', () => {
  it.each([
    ['Why did we move the pipeline to Buildkite?', 0],
    ['Which timeout did the invoices migration run into?', 1],
    ['캐시 경로를 왜 바꿨지?', 2],
    ['支払い画面の翻訳はどうした？', 4],
  ])('%j is answered with session %i', (prompt, expected) => {
    const { signal, picks } = recall(prompt, memoryOf(STORE))

    expect(signal).toBe('question')
    expect(picks[0]?.source.id).toMatch(new RegExp(`^L1:0000000${expected}#`))
  })

  it('is none when more than half of its content words were said in this session', () => {
    const asked = 'Why did we move the pipeline to Buildkite?'

    expect(recall(asked, memoryOf(STORE, { said: () => ['the pipeline of Buildkite'] })).signal).toBeNull()
    expect(recall(asked, memoryOf(STORE, { said: () => ['the pipeline'] })).signal).toBe('question')
  })

  it('is answered with the sentence that has its words, once', () => {
    const filler = 'Nothing of it matters much to anybody. '.repeat(12)
    const text = `${filler}The certificate of the gateway expired on 3 May. ${filler}`
    const memory = memoryOf([answeredIn(text, 0), answeredIn(text, 1)].flat().concat(others(60)))

    expect(toldIn(recall('when did the certificate of the gateway expire?', memory))).toEqual([
      'The certificate of the gateway expired on 3 May.',
    ])
  })

  const ASKED = 'what did we do about the gateway certificate in the harbour?'
  it.each([
    ['an announcement', [answered('I look at the gateway certificate in the harbour.'), used('Read a.ts')]],
    ['a text that ends in a colon', [answered('The gateway certificate in the harbour:')]],
    ['a table row', [answered('| gateway | certificate in the harbour |\n|---|---|')]],
    ['code', [answered('```\ngateway certificate in the harbour\n```')]],
    ['a heading', [answered('## Gateway certificate in the harbour')]],
    ['a list item that is no sentence', [answered('- gateway certificate in the harbour')]],
    ['a prompt that only asks', [said('What is the gateway certificate in the harbour?')]],
    ['a comment on a refusal', [comment('not the gateway certificate in the harbour')]],
    ['a tool', [used('Bash cat gateway certificate harbour')]],
    ['a digest', [said('Ran: gateway certificate in the harbour', { kind: 'note' })]],
    ['a summary of a session', [said('The gateway certificate in the harbour is new.', { kind: 'session' })]],
    [
      'a fact that is resolved',
      [
        with_(
          said('The gateway certificate in the harbour is old.', { kind: 'issue' }),
          {},
          { by: 'the user', state: 'resolved' },
        ),
      ],
    ],
    [
      'an issue by code',
      [with_(said('`gateway certificate harbour` fails: old', { kind: 'issue' }), {}, { by: 'code' })],
    ],
  ])('is never answered with %s', (what, some) => {
    const asked = what === 'a comment on a refusal' ? [used('Bash rm gateway\n(refused)'), ...some] : some
    const docs = [said('Look at it.', { session: 8 }), ...asked.map((one) => ({ ...one, session: 8 }))]
    const by = (one: Known): Known => (one.kind === 'note' ? { ...one, unit: { by: 'code' } } : one)

    expect(recall(ASKED, memoryOf([...docs.map(by), ...others(60)])).signal).toBeNull()
  })

  it('is answered with a closing answer, a fact, or a note of the user that says the same', () => {
    const words = 'The gateway certificate in the harbour is new.'
    for (const some of [answeredIn(words, 8), [said(words, { kind: 'decision' })], [said(words, { kind: 'note' })]])
      expect(toldIn(recall(ASKED, memoryOf([...some, ...others(60)])))).toEqual([words])
  })

  it('is not answered with the third best document where the best two may not be told', () => {
    const told = 'The gateway certificate in the harbour is old.'
    const tool = (session: number): Known => used('Bash cat the gateway certificate in the harbour', { session })
    const asked = (tools: readonly Known[]): Recall =>
      recall(ASKED, memoryOf([...answeredIn(told, 8), ...tools, ...others(60)]))

    expect(toldIn(asked([]))).toEqual([told])
    expect(asked([20, 21, 22, 23].map(tool)).signal).toBeNull()
  })

  it('is not answered with a sentence that holds only one of its words', () => {
    const docs = [
      said('Renew the gateway certificate in the harbour.', { session: 8 }),
      answered('The harbour is new.', { session: 8 }),
    ]
    const own = with_(docs[0] as Document, { by: 'machine' })

    expect(recall(ASKED, memoryOf([own, docs[1] as Document, ...others(60)])).signal).toBeNull()
  })

  it('is never answered with what a headless run said', () => {
    const sent = with_(said('Look at it.', { session: 8 }), { sent: true })
    const docs = [sent, answered('The gateway certificate in the harbour is new.', { session: 8 })]

    expect(recall(ASKED, memoryOf([...docs, ...others(60)])).signal).toBeNull()
  })

  it.each([
    ['interrupted', { role: 'user', via: 'interrupt' }],
    ['followed by a tool use that is not indexed', { role: 'tool', ok: null }],
  ] as const)('is not answered with an answer that was %s', (_, behind) => {
    const words = 'The gateway certificate in the harbour is new.'
    const asked = (...entries: object[]): Recall => {
      const [first, answer] = answeredIn(words, 8)
      return recall(ASKED, memoryOf([first as Known, { ...(answer as Known), behind: entries }, ...others(60)]))
    }

    expect(toldIn(asked({ role: 'user', by: 'machine', via: 'host' }))).toEqual([words])
    expect(asked({ role: 'tombstone' }, behind).signal).toBeNull()
  })

  it.each([
    'hello, how are you?',
    'How did your weekend go?',
    '안녕하세요 오늘 기분 어때요?',
    'こんにちは、元気ですか？',
    '今天天气怎么样？',
    'Who is Gustav Mahler?',
    'How do I centre a div with flexbox?',
    'What did Gustav say about the pipeline?',
    'why did it fail?',
  ])('%j finds no answer', (prompt) => {
    expect(recall(prompt, memoryOf(STORE))).toMatchObject({ signal: null, picks: [] })
  })

  it('is not answered with what is unwanted or gone, nor in an empty store', () => {
    const asked = 'Why did we move the pipeline to Buildkite?'

    expect(recall(asked, memoryOf(STORE, { isWanted: (doc) => doc > 1 })).signal).toBeNull()
    expect(recall(asked, memoryOf(STORE, { unitOf: () => null })).signal).toBeNull()
    expect(recall(asked, memoryOf([])).signal).toBeNull()
  })
})

function answeredIn(text: string, session: number): Known[] {
  return [said('Go on.', { session }), answered(text, { session })]
}

describe('any prompt', () => {
  it.each([
    'ok',
    'yes please',
    'continue',
    'Implement 1, 2 and 3.',
    'the second one, please',
    'rename invoices',
    'the deploy pipeline agents on Buildkite do not restart',
    'open login.go and getUserById',
    'commit',
    '좋아 계속해',
    `${'The invoices migration is slow. '.repeat(16)} Why did we move the pipeline to Buildkite?`,
  ])('%j is silent', (prompt) => {
    expect(recall(prompt, memoryOf(STORE))).toMatchObject({ signal: null, picks: [] })
  })

  it('is answered by the first signal that is taken', () => {
    const failed = ran('git push origin main', 'main is protected', false)
    const memory = memoryOf([
      failed,
      said('Test PR 68.', { session: 1 }),
      answered('#68 is good.', { session: 1 }),
      ...others(60),
    ])
    const prompt = readPrompt('push #68')
    const tried: (string | null)[] = []
    if (prompt !== null) judgePrompt(prompt, memory, ({ signal }) => tried.push(signal) > 1)

    expect(tried).toEqual(['operation', 'reference'])
  })

  const words = STORE.flatMap(({ text }) => text.split(' '))
  const mixed = fc
    .array(fc.constantFrom(...words, 'why', 'did', 'we', '?', 'Gustav', '했지', '#12', 'push', 'run'), {
      maxLength: 20,
    })
    .map((all) => all.join(' '))

  it('is judged in one sentence, the same each time, with sentences of a closing answer or of the user', () => {
    const memory = memoryOf(STORE)
    const texts = STORE.map(({ text }) => text)
    fc.assert(
      fc.property(fc.oneof(wildText, mixed, fc.string({ unit: 'binary' })), (prompt) => {
        const judged = recall(prompt, memory)
        const { signal, verdict, scores, picks } = judged

        expect(recall(prompt, memory)).toEqual(judged)
        expect(verdict).toMatch(/^[A-Z][^\n]*\.$/)
        expect(signal !== null).toBe(picks.length > 0)
        for (const score of Object.values(scores)) expect(Number.isFinite(score)).toBe(true)
        for (const { sentences } of picks)
          expect(texts.some((text) => sentences.every((one) => text.includes(one)))).toBe(true)
        expect(new Set(picks.map(({ source }) => source.id)).size).toBe(picks.length)
      }),
      { numRuns: 300 },
    )
  })

  it.each(['word ', 'Name ', '메모리를 ', 'why did we ', '?', '\n', 'aB', '#12 ', 'push '])(
    'of many times %j is judged',
    (unit) => {
      expect(recall(unit.repeat(20_000 / unit.length), memoryOf(STORE)).signal).toBeNull()
    },
  )
})
