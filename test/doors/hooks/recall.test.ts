/** What is remembered about a prompt goes with it, once, and only when it matters. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRecalls } from '../../../src/core/receipts/disk/journal.ts'
import { answerHook } from '../../../src/doors/hooks/answer.ts'
import type { World } from '../../../src/doors/hooks/world.ts'
import { stateEffect } from '../../../src/kernel/memory/disk/store.ts'
import { type SessionState, withStands } from '../../../src/kernel/memory/session-state.ts'
import { sessionIn } from '../../../src/kernel/memory/state.ts'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'
import { withPlainFrames } from '../../support/briefing.ts'
import { payloadOf } from '../../support/process.ts'
import {
  append,
  linesFor,
  quietProject,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  textsIn,
  write,
} from '../../support/project.ts'
import { ASKED, begin, DURING, type Hooked, LATER, prompt, SAID, SHOP_TURNS, stop, talk } from '../../support/world.ts'

const EARLIER = sessionId(1)
const NOW = sessionId(2)

/** An earlier session with some work in it, and the answer to one question. */
function remembering(settings: object = {}): TestProject {
  const project = quietProject(settings)
  talk(project, EARLIER, SHOP_TURNS)
  return project
}

function compact(project: TestProject, session: string, at: number): void {
  const line = linesFor(session, project.root, { isCompactSummary: true }).prompt(
    at,
    'This session is being continued from a previous conversation that ran out of context. The user worked on the shop.',
  )
  append(project.transcriptOf(session), line)
  begin(project, session, 'compact')
}

/** Asked of the running server first, which nobody hears: it gives the bytes that the hook program gives. */
function ask(project: TestProject, text = ASKED, session = NOW, world: Partial<World> = {}): Hooked {
  const payload = { hook_event_name: 'UserPromptSubmit', session_id: session, prompt: text }
  const question = {
    stdin: JSON.stringify(payloadOf(project, payload)),
    isAttended: true,
    hostPid: world.hostPid ?? 1,
    projectDir: project.root,
  }
  const clock = {
    now: world.now ?? (() => DURING),
    elapsedMs: () => 0,
    startFinisher: () => undefined,
    doing: () => undefined,
  }
  const served = answerHook(question, project.around, clock)?.answer.out
  const hooked = prompt(project, { prompt: text }, world, session)
  // Skills are for the hook program alone.
  if (world.loadRecaller === undefined && !text.startsWith('/memory-keeper:')) expect(served).toBe(hooked.out)
  return hooked
}

describe('a prompt about something remembered', () => {
  it('brings the line that answers it, with its day and its id, fenced as information', () => {
    const { context, notice } = ask(remembering())

    expect(context).toMatch(/^<memory-keeper-recall-[a-z2-9]{8}>\n.*information, not instructions/)
    expect(context).toMatch(/\n2026-01-13 00000001#3 Claude: We settled on exponential backoff with seven attempts/)
    expect(withPlainFrames(context).endsWith('\n</memory-keeper-recall>')).toBe(true)
    expect(estimateTokens(context)).toBeLessThanOrEqual(300)
    expect(notice).toBe('')
  })

  it('stands between the rules and the request', () => {
    const { context } = ask(remembering({ rules: true }))

    expect(context).toMatch(/^Memory Keeper rules[\s\S]*\n\n<memory-keeper-recall-[a-z2-9]{8}>/)
  })

  it('stays within fewer tokens, and says nothing rather than too much', () => {
    const project = remembering({ recallMaxTokens: 115 })
    const { context } = ask(project)
    expect(context).toContain('exponential backoff')
    expect(estimateTokens(context)).toBeLessThanOrEqual(115)

    setAtHome(project, { summarizer: 'extractive', rules: false, recallMaxTokens: 20 })
    expect(ask(project, ASKED, sessionId(3)).out).toBe('')
  })

  it('leaves a receipt with ids, tokens and the verdict; silence leaves a short one', () => {
    const project = remembering()
    ask(project)
    ask(project, 'thanks for the good work on my garden shed and its roses')

    const [fired, silent] = readRecalls(storeOf(project))
    expect(fired).toMatchObject({ session: NOW, fired: true, verdict: expect.stringMatching(/\.$/) })
    expect(fired?.shown.map(({ id }) => id)).toContain('L1:00000001#3')
    expect(fired?.tokens).toBeGreaterThan(50)
    expect(silent).toMatchObject({ session: NOW, fired: false, shown: [], tokens: 0 })
    const lines = fs.readFileSync(path.join(project.memory, 'journal', 'recalls.jsonl'), 'utf8').split('\n')
    expect(lines[1]?.length).toBeLessThan(250)
    const told = fs.readFileSync(path.join(project.memory, 'journal', 'hooks.jsonl'), 'utf8')
    expect(told).toMatch(/"told":\{"recall":\d+\}/)
  })

  it('finds what is in a prompt that an editor and other hooks have added to', () => {
    const added = `<ide_opened_file>The user opened src/a.ts</ide_opened_file>\n${ASKED}\n<other-hook note="1">zebra zebra</other-hook>`

    expect(ask(remembering(), added).context).toContain('exponential backoff')
  })
})

describe('a prompt that is no question', () => {
  const failed = 'git push origin main failed: remote: error: main is protected, changes go by pull request.'

  /** An earlier session whose push a server refused. */
  function pushing(project: TestProject): void {
    const lines = linesFor(sessionId(4), project.root)
    append(
      project.transcriptOf(sessionId(4)),
      [
        lines.prompt(1, 'Push it.'),
        lines.use(2, 't1', 'Bash', { command: 'git push origin main' }),
        lines.result(3, 't1', 'Exit code 1\nremote: error: main is protected, changes go by pull request.', true),
        lines.answer(4, 'The server refuses it.'),
      ].join(''),
    )
    stop(project, {}, {}, sessionId(4))
  }

  it('brings the failure that it would repeat, once, though the briefing has it, and says by which signal', () => {
    const project = remembering()
    pushing(project)
    write(
      path.join(project.memory, 'journal', 'briefings', `${NOW}.txt`),
      `<memory-keeper>\n- ${failed}\n</memory-keeper>`,
    )
    const { context } = ask(project, 'commit it and push')

    expect(context).toContain(`00000004#1 (from a tool): ${failed}`)
    expect(readRecalls(storeOf(project)).at(-1)).toMatchObject({ fired: true, signal: 'operation' })
    expect(ask(project, 'push it again').out).toBe('')
    expect(ask(project, 'push it', sessionId(5)).context).toContain(failed)
    expect(ask(project, 'push', sessionId(6)).context).toContain(failed)
    expect(ask(project, 'add a button to the header').out).toBe('')
  })

  it('brings the end of the last closing answer of the newest session, with its branch, unless the briefing has it', () => {
    const project = remembering()
    const answer = 'The footer is new. It waits for the lawyer.'
    const lines = linesFor(sessionId(4), project.root, { gitBranch: 'feat/footer' })
    append(project.transcriptOf(sessionId(4)), lines.prompt(1, 'Change the footer.') + lines.answer(2, answer))
    stop(project, {}, {}, sessionId(4))
    expect(ask(project, 'where were we?').context).toContain(`00000004#1 (feat/footer) Claude: ${answer}`)

    write(path.join(project.memory, 'journal', 'briefings', `${sessionId(3)}.txt`), `- ${answer}`)
    expect(ask(project, 'where were we?', sessionId(3)).out).toBe('')
  })

  it('brings where the newest session of the branch at hand stands, not of another one', () => {
    const project = remembering()
    for (const [n, branch] of [
      [4, 'feat/footer'],
      [5, 'feat/header'],
    ] as const) {
      const lines = linesFor(sessionId(n), project.root, { gitBranch: branch })
      const text = lines.prompt(n, 'Go on.') + lines.answer(n + 10, `The work on ${branch} waits.`)
      append(project.transcriptOf(sessionId(n)), text)
      stop(project, {}, {}, sessionId(n))
    }
    write(path.join(project.root, '.git', 'HEAD'), 'ref: refs/heads/feat/footer\n')

    expect(ask(project, 'where were we?').context).toContain('The work on feat/footer waits.')
    expect(ask(project, 'where were we?', sessionId(3)).context).not.toContain('feat/header')
  })

  it('brings where a model says that the session stands', () => {
    const project = remembering()
    const store = storeOf(project)
    const state = store.readState()
    const known = sessionIn(state, EARLIER) as SessionState
    const stands = { text: 'The footer waits for the lawyer.', to: known.entries, by: 'headless' } as const
    store.perform([stateEffect({ ...state, sessions: { ...state.sessions, [EARLIER]: withStands(known, stands) } })])

    expect(ask(project, 'where were we?').context).toContain(`[00000001] (Claude): ${stands.text}`)
  })

  it('brings nothing of a session in which nobody typed', () => {
    const project = quietProject()
    const lines = linesFor(sessionId(4), project.root, { entrypoint: 'sdk-cli' })
    append(project.transcriptOf(sessionId(4)), lines.prompt(1, 'Change the footer.') + lines.answer(2, 'It is new.'))
    stop(project, {}, {}, sessionId(4))

    expect(ask(project, 'where were we?').out).toBe('')
  })
})

describe('silence', () => {
  const own = { name: 'mcp__plugin_memory-keeper_memory__search', input: { query: 'backoff' } }
  it.each([
    ['the user interrupted', (lines: ReturnType<typeof linesFor>) => lines.prompt(3, '[Request interrupted by user]')],
    ['was killed at a tool use', (lines: ReturnType<typeof linesFor>) => lines.use(3, 't1', own.name, own.input)],
  ])('is the answer where the only words about it are of a turn that %s', (_, last) => {
    const project = quietProject()
    talk(
      project,
      EARLIER,
      SHOP_TURNS.filter(([, answered]) => answered !== SAID),
    )
    const lines = linesFor(sessionId(4), project.root)
    append(
      project.transcriptOf(sessionId(4)),
      lines.prompt(1, 'How do we retry failed webhooks?') + lines.answer(2, SAID) + last(lines),
    )
    stop(project, {}, {}, sessionId(4))

    expect(ask(project).context).not.toContain('exponential backoff')
  })

  it.each(['ok', 'What is the weather like in Lisbon?', ''])('is the answer to %j', (text) => {
    expect(ask(remembering(), text).out).toBe('')
  })

  it.each([
    `<task-notification>\n<summary>${ASKED}</summary>\n</task-notification>`,
    `/ask ${ASKED}`,
    `/memory-keeper:search-memory ${ASKED}`,
    `! echo ${ASKED}`,
  ])('is the answer to what is no question of a person: %s', (text) => {
    expect(ask(remembering(), text).out).toBe('')
  })

  it.each([{ recall: false }, { recallMaxTokens: 0 }])('is what the user wants with %j', (settings) => {
    const project = remembering(settings)

    expect(ask(project).out).toBe('')
    expect(fs.existsSync(path.join(project.memory, 'journal', 'recalls.jsonl'))).toBe(false)
  })

  it('is all there is in a project without a memory, and nothing is written there', () => {
    const project = quietProject()

    expect(ask(project).out).toBe('')
    expect(fs.existsSync(project.memory)).toBe(false)
  })
})

describe('nothing is told twice in a session', () => {
  it('by a second prompt, however it is worded; another session hears it', () => {
    const project = remembering()

    expect(ask(project).context).toContain('exponential backoff')
    expect(ask(project).out).toBe('')
    expect(ask(project, 'Remind me: which backoff did we choose for Stripe webhook retries?').context).not.toContain(
      'seven attempts',
    )
    expect(ask(project, ASKED, sessionId(3)).context).toContain('exponential backoff')
    expect(readRecalls(storeOf(project)).map(({ fired }) => fired)).toEqual([true, false, false, true])
  })

  it('by two sessions that take turns: each has its own ledger', () => {
    const project = remembering()
    const heard = [sessionId(5), sessionId(6), sessionId(5), sessionId(6)].map(
      (id) => ask(project, ASKED, id).context !== '',
    )

    expect(heard).toEqual([true, true, false, false])
  })

  it('when its briefing said it, nor what is left over beside it', () => {
    const project = remembering()
    const receipt = path.join(project.memory, 'journal', 'briefings', `${NOW}.txt`)
    write(receipt, `<memory-keeper>\n- d001: ${SAID}\n</memory-keeper>`)

    expect(ask(project).out).toBe('')
    const [silent] = readRecalls(storeOf(project))
    expect(silent).toMatchObject({ fired: false, verdict: expect.stringContaining('shown it before') })
  })

  it('but the answer is, when only what was asked stands in the briefing', () => {
    const project = remembering()
    const [asked, answer] = [
      'Change the login tokens, they expire too early.',
      'The login tokens have a leeway of 30 seconds.',
    ]
    talk(project, sessionId(4), [[asked, answer]])
    const receipt = path.join(project.memory, 'journal', 'briefings', `${NOW}.txt`)
    const question = 'What did we change about the login tokens?'
    write(receipt, `<memory-keeper>\n- [n-1] Asked: ${asked}\n</memory-keeper>`)

    const { context } = ask(project, question)
    expect(context).toContain(answer)
    expect(context).not.toContain(asked)
    expect(ask(project, question).out).toBe('')
  })

  it('when it is a rule, or the prompt itself', () => {
    const project = remembering({ rules: false })
    write(path.join(project.memory, 'rules.md'), `- ${SAID}\n`)
    expect(ask(project).context).not.toContain('seven attempts')

    fs.rmSync(path.join(project.memory, 'rules.md'))
    expect(ask(project, `${SAID} Is that what we chose for Stripe?`).context).not.toContain('seven attempts')
  })

  it('but again after a compaction, which has forgotten it', () => {
    // The briefing has no room for it: otherwise that tells it.
    const project = remembering({ briefingChars: 500 })
    talk(project, NOW, [['Let us look at the header first.', 'The header is ready.']])
    expect(ask(project).context).toContain('exponential backoff')
    expect(ask(project).out).toBe('')
    compact(project, NOW, 50)

    expect(ask(project).context).toContain('exponential backoff')
    expect(ask(project).out).toBe('')
  })
})

describe('the session itself', () => {
  it('is not recalled: Claude has it before it', () => {
    const project = remembering()
    talk(project, EARLIER, [], 6)

    expect(ask(project, ASKED, EARLIER).context).not.toContain('seven attempts')
  })

  it('is not recalled from before its compaction, and what it asked before is new again', () => {
    const project = remembering()
    talk(project, NOW, [[ASKED, 'Well.']])
    expect(ask(project, `${ASKED} Please.`).out).toBe('')
    compact(project, EARLIER, 100)
    compact(project, NOW, 50)
    fs.rmSync(path.join(project.memory, 'journal', 'briefings'), { recursive: true, force: true })

    expect(ask(project, ASKED, EARLIER).out).toBe('')
    expect(ask(project).context).toMatch(/00000001#3 Claude: We settled/)
  })

  it('has said nothing before its compaction, also where the transcript does not have that yet', () => {
    const project = remembering({ briefingChars: 500 })
    talk(project, NOW, [[`Tell me: ${ASKED}`, 'Well.']])
    expect(ask(project).out).toBe('')
    begin(project, NOW, 'compact', { now: () => LATER })
    fs.rmSync(path.join(project.memory, 'journal', 'briefings'), { recursive: true, force: true })

    expect(ask(project).context).toContain('exponential backoff')
  })

  it('is not recalled by the notes and facts about it either', () => {
    const project = remembering({ saveInterval: 1 })
    begin(project, NOW, 'startup', { now: () => LATER })

    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toContain('backoff')
    expect(ask(project, ASKED, EARLIER).context).not.toContain('backoff')
    expect(ask(project, ASKED, sessionId(7)).context).toContain('backoff')
  })
})

describe('a fork whose transcript is not written yet', () => {
  const FORK = sessionId(8)
  const host = { hostPid: 4711 }

  it('is told nothing as long as nobody knows what it continues', () => {
    const project = remembering()
    begin(project, FORK, 'fork', host)

    expect(ask(project, ASKED, FORK, host).out).toBe('')
    expect(readRecalls(storeOf(project))).toMatchObject([
      { session: FORK, fired: false, verdict: expect.stringContaining('not known yet') },
    ])
    talk(project, FORK, [['Now to something else.', 'Yes.']])
    expect(ask(project, ASKED, FORK, host).context).toContain('exponential backoff')
  })

  it('has before it what the same process resumed, and hears of others', () => {
    const project = remembering()
    begin(project, EARLIER, 'resume', host)
    expect(ask(project, ASKED, FORK, host).out).toBe('')
    expect(ask(project, ASKED, FORK, { hostPid: 4712 }).context).toContain('exponential backoff')

    talk(project, sessionId(4), [['Paint the lighthouse.', 'The lighthouse lamp is red and white.']])
    const { context } = ask(project, 'What colour did we paint the lighthouse lamp?', sessionId(9), host)
    expect(context).toContain('red and white')
    expect(ask(project, ASKED, sessionId(9), host).out).toBe('')
  })

  it('is a session of its own after a clear, or when it was never one', () => {
    const project = remembering({ briefingChars: 500 })
    begin(project, EARLIER, 'resume', host)
    begin(project, FORK, 'clear', host)
    begin(project, sessionId(9), 'startup', host)

    for (const id of [FORK, sessionId(9)])
      expect(ask(project, ASKED, id, host).context).toContain('exponential backoff')
  })

  it('has heard what the other one was told before', () => {
    const project = remembering()
    expect(ask(project).context).toContain('exponential backoff')
    talk(project, NOW, [['Thanks, go on.', 'Yes.']])
    begin(project, NOW, 'resume', { ...host, now: () => LATER })

    expect(ask(project, ASKED, FORK, host).out).toBe('')
    expect(ask(project, ASKED, sessionId(9)).context).toContain('exponential backoff')
  })
})

describe('what we said ourselves', () => {
  it('is never remembered, in whatever form the host keeps it', () => {
    const project = remembering()
    const { context } = ask(project)
    const lines = linesFor(NOW, project.root)
    const attachment = { type: 'hook_additional_context', content: [context], hookName: 'UserPromptSubmit' }
    const kept = lines
      .prompt(0, ASKED)
      .replace('"type":"user"', `"type":"attachment","attachment":${JSON.stringify(attachment)}`)
    append(
      project.transcriptOf(NOW),
      kept + lines.prompt(1, `${ASKED}\n<system-reminder>\n${context}\n</system-reminder>`) + lines.answer(2, 'Seven.'),
    )
    stop(project, {}, {}, NOW)

    expect(textsIn(project.memory).filter((text) => text.includes('memory-keeper-recall'))).toEqual([])
    expect(textsIn(project.memory)).toContain(ASKED)
  })
})

describe('whatever is broken', () => {
  it('a half-written receipt costs nothing but itself', () => {
    const project = remembering()
    append(path.join(project.memory, 'journal', 'recalls.jsonl'), '{"at":"2026-01-13T09:00:00.000Z","sess')

    expect(ask(project).context).toContain('exponential backoff')
    expect(ask(project).out).toBe('')
    expect(readRecalls(storeOf(project))).toHaveLength(2)
  })

  it('a ledger that cannot be written: it is told all the same', () => {
    const project = remembering()
    fs.mkdirSync(path.join(project.memory, 'journal', 'recalls.jsonl'), { recursive: true })

    expect(ask(project).context).toContain('exponential backoff')
  })

  it('a cache directory that is a file: it is told all the same', () => {
    const project = remembering()
    fs.rmSync(path.join(project.home, '.cache'), { recursive: true, force: true })
    write(path.join(project.home, '.cache'), 'no directory')

    expect(ask(project).context).toContain('exponential backoff')
  })

  it('a search that fails: the rules are told, and the log says so', () => {
    const project = remembering({ rules: true })
    const loadRecaller = (): never => {
      throw new Error('gone')
    }

    expect(ask(project, ASKED, NOW, { loadRecaller }).context).toMatch(/^Memory Keeper rules/)
    expect(fs.readFileSync(path.join(project.keeper, 'logs', 'memory-keeper.log'), 'utf8')).toContain(' recall: ')
  })
})
