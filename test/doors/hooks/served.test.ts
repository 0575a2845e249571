import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readHookTimes, readRecalls } from '../../../src/core/receipts/disk/journal.ts'
import { answerHook } from '../../../src/doors/hooks/answer.ts'
import type { Question } from '../../../src/doors/hooks/server-messages.ts'
import type { Job } from '../../../src/kernel/sessions/disk/finisher-queue.ts'
import { type Conversation, converse, initialize } from '../../support/mcp.ts'
import { envOf, HOOK, KEEPER, payloadOf, runHook, runNode, until } from '../../support/process.ts'
import {
  append,
  linesFor,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  tempDir,
  textsIn,
  turns,
  write,
} from '../../support/project.ts'
import { stop } from '../../support/world.ts'

const QUESTION: Question = { stdin: '{}', isAttended: true, hostPid: 7, projectDir: undefined }
const NOTHING = (): void => undefined

const WORLD = {
  now: () => new Date().toISOString(),
  elapsedMs: () => 0,
  startFinisher: NOTHING,
  doing: NOTHING,
}
const EARLIER = sessionId(1)
const NOW = sessionId(2)
const ASKED = 'Which backoff did we choose for the Stripe webhook retries?'

function remembering(settings: object = {}): TestProject {
  const project = quietProject({ rules: true, ...settings })
  const lines = linesFor(EARLIER, project.root)
  const turns: [string, string][] = [
    ['The dashboard needs a dark theme, please add one.', 'The dark theme is in place, with a switch in the header.'],
    [
      'How do we retry failed webhooks?',
      'We settled on exponential backoff with seven attempts for the Stripe webhook retries.',
    ],
    ['Rename the customer table to clients.', 'The table is called clients now, the migration is written.'],
    ['Bump the linter to its newest version.', 'The linter is at its newest version, two warnings are fixed.'],
  ]
  turns.forEach(([asked, answered], i) => {
    append(project.transcriptOf(EARLIER), lines.prompt(i * 10, asked) + lines.answer(i * 10 + 1, answered))
  })
  stop(project, {}, {}, EARLIER)
  // A hook has little time for an index that is not there yet.
  runNode([KEEPER, 'index', project.root], project.root, envOf(project))
  return project
}

/** What the server says to an event: the program that answers by itself is another one here. A busy machine may need a second try. */
function servedTo(project: TestProject, prompt: string, session = NOW): string {
  return served(project, promptPayload(project, prompt, session))
}

function served(project: TestProject, payload: string): string {
  const dir = path.join(tempDir(), 'dist')
  write(path.join(dir, 'hook-main.cjs'), "exports.main = () => process.stdout.write('by itself')")
  fs.copyFileSync(HOOK, path.join(dir, 'hook.cjs'))
  for (let tries = 0; tries < 50; tries++) {
    const { out } = runNode([path.join(dir, 'hook.cjs')], project.root, envOf(project), payload)
    if (out !== 'by itself') return out
  }
  throw new Error('the server never answered')
}

/** As the host does: a server waits for its first message. */
async function greeted(project: TestProject): Promise<Conversation> {
  const talking = converse(project)
  await talking.ask(initialize)
  return talking
}

function serversOf(project: TestProject): string[] {
  const dir = path.join(project.keeper, 'servers')
  if (!fs.existsSync(dir)) return []
  return fs
    .readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => fs.readFileSync(path.join(dir, name), 'utf8'))
}

function promptPayload(project: TestProject, prompt: string, session = NOW): string {
  return JSON.stringify(payloadOf(project, { hook_event_name: 'UserPromptSubmit', session_id: session, prompt }))
}

describe('the server beside a session', () => {
  it('answers prompts of its project with the bytes that the hook itself would give, and keeps the same receipts', async () => {
    const [project, alone] = [remembering(), remembering()]
    // Each has its own home; with one key the bytes are the same.
    for (const { keeper } of [project, alone]) write(path.join(keeper, 'frame.key'), '0123456789abcdef\n')
    const talking = await greeted(project)
    await until(() => serversOf(project).length > 0)
    const prompts = [
      ASKED,
      ASKED,
      'Write a poem about the sea.',

      '<task-notification>done</task-notification>',
    ]

    expect(servedTo(project, ASKED, sessionId(9))).toContain('seven attempts')
    runHook(alone, promptPayload(alone, ASKED, sessionId(9)))
    for (const one of prompts) {
      expect(servedTo(project, one)).toBe(runHook(alone, promptPayload(alone, one)).out)
      await until(() => readRecalls(storeOf(project)).length === readRecalls(storeOf(alone)).length)
    }
    const told = (of: TestProject) =>
      readRecalls(storeOf(of)).map(({ session, fired, verdict }) => [session, fired, verdict])
    expect(told(project)).toEqual(told(alone))
    await talking.end()
    expect(serversOf(project)).toEqual([])
  })

  it('answers a failed command with the bytes that the hook itself would give', async () => {
    const [project, alone] = [remembering(), remembering()]
    const reason = 'error: the tide table lacks the harbour of Reykjavik'
    for (const { keeper, root, transcriptOf } of [project, alone]) {
      write(path.join(keeper, 'frame.key'), '0123456789abcdef\n')
      const lines = linesFor(sessionId(5), root)
      append(
        transcriptOf(sessionId(5)),
        lines.prompt(0, 'Build it.') +
          lines.use(1, 'a', 'Bash', { command: 'sh tides.sh' }) +
          lines.result(2, 'a', `Exit code 3\n${reason}`, true) +
          lines.use(3, 'b', 'Bash', { command: 'npm ci' }) +
          lines.result(4, 'b', 'ok') +
          lines.answer(5, 'Done.'),
      )
    }
    for (const of of [project, alone]) stop(of, {}, {}, sessionId(5))
    const talking = await greeted(project)
    await until(() => serversOf(project).length > 0)
    const failed = (of: TestProject): string =>
      JSON.stringify(
        payloadOf(of, {
          hook_event_name: 'PostToolUseFailure',
          session_id: NOW,
          tool_name: 'Bash',
          tool_input: { command: 'sh tides.sh' },
          error: `Exit code 3\n${reason}`,
        }),
      )

    const answered = served(project, failed(project))
    expect(answered).toContain('run next: `npm ci`')
    expect(answered).toBe(runHook(alone, failed(alone)).out)
    await talking.end()
  })

  it('captures the end of a turn as the hook itself would, each entry once, and starts the finisher that writes the note', async () => {
    const [project, alone] = [remembering({ saveInterval: 3 }), remembering({ saveInterval: 3 })]
    const talking = await greeted(project)
    await until(() => serversOf(project).length > 0)
    const stopped = (of: TestProject, n: number): string => {
      append(of.transcriptOf(NOW), turns(linesFor(NOW, of.root), n, n + 1))
      const said = { hook_event_name: 'Stop', session_id: NOW, last_assistant_message: `answer ${n}` }
      return JSON.stringify(payloadOf(of, said))
    }
    for (const n of [0, 1, 2, 3]) {
      expect(served(project, stopped(project, n))).toBe(runHook(alone, stopped(alone, n)).out)
      await until(() => textsIn(project.memory).length === textsIn(alone.memory).length)
      expect(textsIn(project.memory)).toEqual(textsIn(alone.memory))
    }
    await until(() => fs.existsSync(path.join(project.memory, 'memory.md')))
    expect(
      readHookTimes(project.memory)
        .filter(({ event }) => event === 'Stop')
        .map(({ by }) => by),
    ).toContain('server')
    await talking.end()
  })

  it.each(['stop', 'block'])(
    'leaves a turn to the hook that may be blocked ("%s") only if it must wait',
    (enforcement) => {
      const project = remembering({ enforcement })
      const stdin = JSON.stringify(payloadOf(project, { hook_event_name: 'Stop', session_id: NOW }))
      const answered = (isAttended: boolean) =>
        answerHook({ ...QUESTION, stdin, isAttended, projectDir: project.root }, project.around, WORLD) !== null

      expect([answered(true), answered(false)]).toEqual([enforcement === 'stop', true])
    },
  )

  it('captures what a prompt finds once the host has gone on', async () => {
    const project = remembering()
    append(project.transcriptOf(NOW), turns(linesFor(NOW, project.root), 0, 1))
    const question = { ...QUESTION, stdin: promptPayload(project, ASKED), projectDir: project.root }
    const before = textsIn(project.memory)
    const served = answerHook(question, project.around, WORLD)

    expect(served?.answer.out).toContain('seven attempts')
    expect(textsIn(project.memory)).toEqual(before)
    served?.sent()
    expect(textsIn(project.memory)).toEqual(before)
    await until(() => textsIn(project.memory).length > before.length)
    expect(textsIn(project.memory)).toEqual([...before, 'question 0', 'echo 0', 'answer 0'])
  })

  it.each([
    ['a turn that ends in silence when it has answered', true, true],
    ['a turn that ends with a line on the screen first', false, true],
    ['a turn that nobody watches first, since the host may end with it', true, false],
  ])('captures %s, and starts the note that is due', (_, quietStop, isAttended) => {
    const project = remembering({ saveInterval: 3, quietStop })
    append(project.transcriptOf(NOW), turns(linesFor(NOW, project.root), 0, 3))
    const stdin = JSON.stringify(payloadOf(project, { hook_event_name: 'Stop', session_id: NOW }))
    const before = textsIn(project.memory).length
    const started: Job[] = []
    const startFinisher = (_: string, job: Job): void => void started.push(job)
    const question = { ...QUESTION, stdin, isAttended, projectDir: project.root }
    const served = answerHook(question, project.around, { ...WORLD, startFinisher })

    expect(served?.answer.out === '').toBe(quietStop)
    expect(textsIn(project.memory).length === before).toBe(quietStop && isAttended)
    served?.sent()
    expect(textsIn(project.memory).length).toBeGreaterThan(before)
    expect(started).toMatchObject([{ for: 'note' }])
  })

  it('is not asked after it was killed, nor with the words of another build, and nothing is lost', async () => {
    const project = remembering()
    const talking = await greeted(project)
    await until(() => serversOf(project).length > 0)
    process.kill(talking.pid, 'SIGKILL')
    await talking.end()
    expect(serversOf(project)).toHaveLength(1)

    expect(runHook(project, promptPayload(project, ASKED)).out).toContain('seven attempts')
    const again = await greeted(project)
    await until(() => serversOf(project).some((text) => JSON.parse(text).pid === again.pid))
    expect(serversOf(project)).toHaveLength(1)
    await again.end()
  })

  it('answers as for a stranger once trust was withdrawn', async () => {
    const project = remembering()
    const talking = await greeted(project)
    await until(() => serversOf(project).length > 0)
    fs.rmSync(path.join(project.keeper, 'trust'), { recursive: true })

    expect(servedTo(project, ASKED)).not.toContain('seven attempts')
    await talking.end()
  })
})
