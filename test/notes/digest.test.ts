/** The digest of some entries and the note made from it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Digest, digestEntries, type Numbered, noteBudget, renderDigest } from '../../src/notes/digest.ts'
import { estimateTokens } from '../../src/text/tokens.ts'
import type { Entry } from '../../src/transcript/session.ts'
import { bash, chose, claude, edit, read, SESSIONS, session, used, user, write } from '../fixtures/sessions.ts'

const digestOf = (...entries: Entry[]): Digest => digestEntries(session(entries))
const noteOf = (entries: readonly Numbered[], maxTokens = noteBudget(entries)): string =>
  renderDigest(digestEntries(entries), { maxTokens })
const texts = (said: readonly { text: string }[]): string[] => said.map(({ text }) => text)

describe('what was asked', () => {
  it('is what prompts say, without greetings, consent and the host’s commands', () => {
    const { asked } = digestOf(
      user('hi'),
      user('/model opus'),
      user('Add a dark mode to the settings page.'),
      user('ok, continue'),
      user('no, use the system setting by default'),
      user('/exit'),
    )

    expect(texts(asked)).toEqual(['Add a dark mode to the settings page.', 'no, use the system setting by default'])
  })

  it('is the telling sentence of a long prompt', () => {
    const story = 'It happened again yesterday while nobody was looking at the screen. '.repeat(8)
    const { asked } = digestOf(user(`${story}Please make the upload resume after a lost connection. ${story}`))

    expect(asked[0]?.text).toContain('Please make the upload resume after a lost connection.')
    expect(asked[0]?.text.length).toBeLessThan(330)
  })

  it('is what a person says about a pasted log, or its error where nothing is said', () => {
    const log =
      '2026-01-01T00:00:00Z INFO start\n2026-01-01T00:00:01Z ERROR TypeError: x is undefined\n    at a (b.ts:1:2)'

    expect(texts(digestOf(user(`${log}\nwhy does this happen?`)).asked)).toEqual(['why does this happen?'])
    expect(digestOf(user(log)).asked[0]?.text).toContain('TypeError: x is undefined')
  })

  it('is a command of the project, or a mere yes, with Claude’s words for it told as Claude’s', () => {
    const words = claude("I'll release version 12 of the app. Let me look.")

    expect(texts(digestOf(user('/ship 12'), words).asked)).toEqual([
      "/ship 12 (Claude: I'll release version 12 of the app)",
    ])
    expect(noteOf(session([user('approved'), words]))).toMatch(
      /^Asked: approved \(Claude: I'll release version 12 of the app\)\.$/m,
    )
  })

  it('is the person’s words alone where the result tells Claude’s', () => {
    const note = noteOf(session([user('approved'), claude('PR #233 머지 완료했습니다 (squash).'), edit('a.ts')]))

    expect(note).toMatch(/^Asked: approved\.$/m)
    expect(note).toMatch(/^Result: PR #233 머지 완료했습니다 \(squash\)\.$/m)
    expect(note.split('머지')).toHaveLength(2)
  })

  it('names the choices a person made in a dialog, the question as Claude’s, and never as the goal', () => {
    const answer = chose('Where shall the file live?', 'In the home directory (Recommended)')

    expect(texts(digestOf(user('Add a cache file.'), answer, chose('Go on?', 'Yes')).asked)).toEqual([
      'Add a cache file.',
      'In the home directory (Claude: Where shall the file live?)',
    ])
    expect(texts(digestOf(answer, user('Add a cache file.')).asked)).toEqual(['Add a cache file.'])
  })

  it('is the title of a written task and what it requires, not what it leaves out', () => {
    const task =
      '# Rate limiter\n\n## Requirements\n- Limit each IP to 100 requests\n\n## Out of scope\n- Distributed limits here'

    expect(texts(digestOf(user(task)).asked)).toEqual(['Rate limiter. Limit each IP to 100 requests'])
  })

  it('is what Claude works on where a piece of a session holds no prompt, and is told as such', () => {
    const piece = session([
      used('TodoWrite', '1/3 done; now: Rename the columns of the report'),
      edit('a.ts'),
      claude('Let me go on.'),
    ])

    expect(digestEntries(piece).asked).toEqual([{ text: 'Rename the columns of the report', n: 0, by: 'assistant' }])
    expect(noteOf(piece)).toMatch(/^Went on: Rename the columns of the report\.$/m)
  })

  it('is never empty where a person spoke', () => {
    expect(texts(digestOf(user('ok')).asked)).toEqual(['ok'])
  })

  it('leaves out pictures and files that were dropped in', () => {
    const { asked } = digestOf(user("'/tmp/a b.png' make the button like this [Image #1]"))

    expect(texts(asked)).toEqual(['make the button like this'])
  })
})

describe('what was changed', () => {
  it('names each file once, new or edited, and no failed edit', () => {
    const { changed } = digestOf(
      write('src/new.ts'),
      edit('src/new.ts'),
      read('src/old.ts'),
      write('src/old.ts'),
      edit('src/broken.ts', false),
      used('NotebookEdit', 'a.ipynb'),
    )

    expect(changed).toEqual([
      { path: 'src/new.ts', how: 'created', times: 2 },
      { path: 'src/old.ts', how: 'edited', times: 1 },
      { path: 'a.ipynb', how: 'edited', times: 1 },
    ])
  })

  it('knows what the shell surely did, and only if it worked', () => {
    const { changed } = digestOf(
      write('tmp-script.ts'),
      bash('git mv a.ts b.ts'),
      bash('rm tmp-script.ts'),
      bash('rm c.ts', false),
      bash("sed -i 's/x/y/' d.ts"),
    )

    expect(changed.map(({ path, how }) => `${path} ${how}`)).toEqual(['a.ts removed', 'b.ts created', 'd.ts edited'])
  })

  it('leaves out Claude’s own plans', () => {
    expect(digestOf(write('/home/me/.claude/plans/happy.md')).changed).toEqual([])
  })
})

describe('what ran', () => {
  it('is told with its end, and as one command when it was tried again', () => {
    const { ran } = digestOf(
      bash('npm test', false, 'Exit code 1\nTests  1 failed | 4 passed (5)'),
      bash('npm test 2>&1 | tail -3', true, 'Tests  5 passed (5)'),
    )

    expect(ran).toEqual([
      { command: 'npm test 2>&1 | tail -3', ok: true, runs: 2, failures: 1, tellingLine: 'Tests 5 passed (5)', n: 1 },
    ])
  })

  it('tells an error that teaches something before what simply worked, also when another way worked later', () => {
    const worked = Array.from({ length: 30 }, (_, i) => bash(`npm run build:part-${i}`, true, 'built in 3 s'))
    const refused = [
      bash('git push origin main', false, 'Total 3\nremote: error: GH006: Protected branch update failed for main.'),
      bash('git push origin feature/x', true),
      bash('docker run -p 5432:5432 pg', false, 'Error: port is already allocated, address already in use'),
    ]
    const entries = session([user('ship it today, please'), ...refused, ...worked])
    const note = noteOf(entries, 160)

    expect(note).toContain('GH006: Protected branch update failed')
    expect(note).toContain('address already in use')
  })

  it('tells a look that failed for lack of permission or a module', () => {
    const { ran } = digestOf(
      bash('cat /etc/shadow', false, 'cat: /etc/shadow: Permission denied'),
      bash('node -e "require(\'left-pad\')"', false, "Error: Cannot find module 'left-pad'"),
      bash('grep x y', false, 'grep: y: No such file or directory'),
    )

    expect(ran.map(({ tellingLine }) => tellingLine)).toEqual([
      'cat: /etc/shadow: Permission denied',
      "Error: Cannot find module 'left-pad'",
    ])
  })

  it('leaves out looking around', () => {
    expect(digestOf(bash('ls'), bash('git status'), bash('grep -r x .', false, 'Exit code 1')).ran).toEqual([])
  })

  it('tells what failed behind a pipe as failed', () => {
    expect(digestOf(bash('npm test | tail -2', true, 'Tests  3 failed')).ran[0]?.ok).toBe(false)
  })

  it('tells commits as commits, whatever else the command does', () => {
    const digest = digestOf(
      bash('git add -A && git commit -m "One"'),
      bash('git commit -m "Two" && git push'),
      bash('git commit -m "Three"', false, 'Exit code 1\nnothing to commit'),
    )

    expect(digest.commits.map(({ message }) => message)).toEqual(['One', 'Two'])
    expect(digest.ran.map(({ command }) => command)).toEqual([
      'git commit -m "Two" && git push',
      'git commit -m "Three"',
    ])
  })
})

describe('what was said', () => {
  it('is decided by words, and by answers that decide something themselves', () => {
    const { decided } = digestOf(
      user("Let's use SQLite, not Postgres."),
      claude('Let me check the driver. I went with the synchronous driver because it is faster.'),
      chose('Where shall the file live?', 'In the home directory (Recommended)'),
      chose('May I write to main?', 'Never push to main'),
      { ...user('no, always ask me before you delete a table'), via: 'Bash' } as Entry,
      { ...user('not this file'), via: 'Edit' } as Entry,
    )

    expect(decided).toEqual([
      { text: "Let's use SQLite, not Postgres.", n: 0, by: 'user' },
      { text: 'I went with the synchronous driver because it is faster.', n: 1, by: 'assistant' },
      { text: 'May I write to main? → Never push to main', n: 3, by: 'user' },
      { text: 'no, always ask me before you delete a table', n: 4, by: 'user' },
    ])
  })

  it.each([
    ["Let's use SQLite for the cache.", 'Actually, use Redis instead of SQLite.'],
    ["Let's keep the old parser.", "Let's drop the old parser."],
    ['캐시는 Redis로 하자.', '아니 캐시는 메모리로 하자.'],
    ['커밋 메시지는 한국어로 써줘, 통일하자.', '앞으로 커밋 메시지는 영어로 써줘.'],
    ['moment를 쓰자.', 'moment 말고 date-fns를 쓰자.'],
    ["Let's use port 3000 for the preview.", "No, let's use port 4000 for the preview."],
  ])('is decided no more when it is decided otherwise later: %s', (before, after) => {
    expect(texts(digestOf(user(before), user(after)).decided)).toEqual([after])
  })

  it.each([
    ["Let's use Redis for sessions.", "Please don't use Redis for the job queue."],
    ["Let's use SQLite, not Postgres.", "Let's use pnpm, not npm."],
    ['Always add tests.', "Don't add comments."],
    ['Always limit each address to 100 requests.', 'Always limit each user to 200 requests.'],
    ['캐시는 Redis로 하자.', '로그는 파일로 하자.'],
    ['Never change step 1 of the wizard.', 'Never change step 2 of the wizard.'],
  ])('stays decided beside another decision: %s', (before, after) => {
    expect(texts(digestOf(user(before), user(after)).decided)).toEqual([before, after])
  })

  it('is never taken back by the last decision, nor by being said again', () => {
    const thing = fc.constantFrom('Redis', 'SQLite', 'port 3000', 'port 4000', 'the old parser', 'tabs')
    const decision = fc
      .tuple(fc.constantFrom("Let's use", 'Never use', "Let's drop", 'Always use', "Let's keep"), thing, thing)
      .map(([verb, one, other]) => `${verb} ${one} instead of ${other} for now.`)
    fc.assert(
      fc.property(fc.array(decision, { minLength: 1, maxLength: 6 }), (all) => {
        const last = all.at(-1) ?? ''
        expect(texts(digestOf(...all.map(user)).decided)).toContain(last)
        expect(texts(digestOf(user(last), claude('Noted.'), user(last)).decided)).toEqual([last])
      }),
    )
  })

  it('is not overruled by Claude where a person decided', () => {
    const decided = digestOf(
      user("Let's use SQLite for the cache."),
      claude('I went with Redis instead of SQLite because it is faster.'),
    ).decided

    expect(decided.map(({ by }) => by)).toEqual(['user', 'assistant'])
  })

  it('is no open issue where it only passes', () => {
    const waiting = claude(
      'The fix is merged.\n\n## Next steps\n- PR #12 is pending review\n- CI 완료 대기 중\n- Windows paths are not tested yet',
    )

    expect(texts(digestOf(user('go'), waiting).open)).toEqual(['Windows paths are not tested yet'])
  })

  it('is open until somebody says that it is solved', () => {
    const open = claude('The importer is done. TODO: the timezone test is not implemented yet.')

    expect(texts(digestOf(user('go'), open).open)).toEqual(['TODO: the timezone test is not implemented yet.'])
    expect(digestOf(user('go'), open, user('now that'), claude('The timezone test is fixed.')).open).toEqual([])
  })

  it('is open from an earlier turn only when it was put off', () => {
    const entries = [user('go'), claude('The build still fails.'), user('try again'), claude('The build is green.')]

    expect(digestOf(...entries).open).toEqual([])
  })

  it('is the last answer in its telling sentences', () => {
    const { answer } = digestOf(
      user('why is it slow?'),
      claude('Let me measure.'),
      claude(
        'Great question! The index was missing, so every search read the whole table.\n\n```sql\nCREATE INDEX x;\n```\n\n| a | b |\n|---|---|\n\nWant me to add it?',
      ),
    )

    expect(answer).toEqual({
      text: 'The index was missing, so every search read the whole table.',
      n: 2,
      by: 'assistant',
    })
  })

  it('is found in the values of an answer that is JSON', () => {
    const { answer } = digestOf(
      user('judge it'),
      claude('{"verdict": "ok", "why": "The change is small and well tested."}'),
    )

    expect(answer?.text).toBe('The change is small and well tested.')
  })

  it('quotes no summary of a compaction', () => {
    const { decided, open, asked } = digestOf({
      role: 'summary',
      ts: '',
      text: "Let's use X. TODO: Y is not yet done.",
    })

    expect([decided, open, asked]).toEqual([[], [], []])
  })
})

describe('the note', () => {
  it('has its lines in a fixed order', () => {
    const [first] = SESSIONS
    const note = noteOf(first?.entries ?? [], 2000)

    expect(note.split('\n').map((line) => line.split(':', 1)[0])).toEqual([
      'Asked',
      'Changed',
      'Ran',
      'Committed',
      'Decided',
      'Open',
      'Result',
    ])
  })

  it('keeps Korean in Korean', () => {
    const note = noteOf(SESSIONS[1]?.entries ?? [])

    expect(note).toContain('Decided: moment 대신 date-fns를 쓰자.')
    expect(note).toContain('Open: 관리자 화면에는 아직 필터가 없습니다.')
  })

  it('counts the files that it does not name, and tells far ones below their directory', () => {
    const files = Array.from({ length: 30 }, (_, i) => edit(`/home/me/other/project/src/module-number-${i}.ts`))
    const note = noteOf(session([user('rename the modules'), ...files]), 200)
    const named = [...note.matchAll(/src\/module-number-|module-number-/g)].length

    expect(note).toMatch(/^Changed: in \/home\/me\/other\/project\/src: module-number-/m)
    expect(note).toContain(` and ${30 - named} more`)
  })

  it('says something true about entries that say nothing', () => {
    expect(noteOf(session([used('Grep', 'x'), used('Grep', 'y')]))).toBe('Looked at: Grep × 2')
    expect(noteOf([{ n: 0, entry: { role: 'tombstone', n: 0, key: 'k' } }])).toBe('Nothing worth naming happened.')
  })

  it('begins no heading and no comment', () => {
    const note = noteOf(
      session([user('explain # and <!-- note x --> please'), claude('<!-- note --> is a comment that hides.')]),
    )

    expect(note).not.toMatch(/^#|<!--|-->/m)
  })

  const entry: fc.Arbitrary<Entry> = fc.oneof(
    fc.constantFrom(...SESSIONS.flatMap(({ entries }) => entries.map(({ entry: one }) => one as Entry))),
    fc.string({ unit: 'binary', maxLength: 80 }).map(user),
    fc.string({ unit: 'binary', maxLength: 80 }).map(claude),
    fc.tuple(fc.string({ maxLength: 60 }), fc.boolean(), fc.string({ maxLength: 60 })).map((one) => bash(...one)),
  )

  it('is never empty, keeps to its tokens, and is the same for the same entries', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 60, max: 800 }),
        (all, maxTokens) => {
          const entries = session(all)
          const note = noteOf(entries, maxTokens)
          expect(note.trim()).not.toBe('')
          expect(note).toBe(noteOf(entries, maxTokens))
          expect(estimateTokens(note)).toBeLessThanOrEqual(maxTokens + 12)
          expect(note).not.toMatch(/^#|<!--/m)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('only gains items with more room', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 20 }), (all) => {
        const small = noteOf(session(all), 150).split('\n').length
        const large = noteOf(session(all), 3000).split('\n').length
        expect(large).toBeGreaterThanOrEqual(small)
      }),
      { numRuns: 60 },
    )
  })
})

describe('the room for a note', () => {
  it('grows with what happened, within bounds', () => {
    const little = noteBudget(session([user('hi')]))
    const much = noteBudget(
      session(Array.from({ length: 100 }, () => claude('Many words were said here. '.repeat(20)))),
    )

    expect(little).toBe(320)
    expect(much).toBe(700)
  })
})

it('odd texts cost no more than their length', () => {
  const units = [
    ' ',
    '\n',
    '. ',
    '" ',
    '`',
    '(',
    '$(',
    '<<EOF\n',
    '"$(',
    '<!--',
    '| tail ',
    '- ',
    'use a instead of ',
    '대신 ',
    '가 ',
  ]
  for (const unit of units) {
    const text = `Please fix ${unit.repeat(10_000 / unit.length)} now`
    noteOf(session([user(text), claude(text), bash(text, true, text.slice(0, 300)), chose(text, text)]))
  }
})

it('60,000 tokens of entries become a note', () => {
  const turn = SESSIONS.flatMap(({ entries }) => entries.map(({ entry: one }) => one as Entry))
  const all: Entry[] = []
  for (let tokens = 0; tokens < 60_000; ) {
    all.push(...turn)
    tokens += turn.reduce((sum, one) => sum + estimateTokens(JSON.stringify(one)), 0)
  }
  const entries = session(all)

  expect(noteOf(entries)).not.toBe('')
})
