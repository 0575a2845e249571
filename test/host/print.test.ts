/** Sessions without a screen: one-shot prompts, conversations, several at once, and what the model gets to see. */
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  allTold,
  everythingBelow,
  expectComplete,
  expectQuiet,
  expectUntouched,
  homeDir,
  memoryDir,
  patient,
  told,
} from './support/memory.ts'
import { story } from './support/story.ts'
import { says, together, uses } from './support/turn.ts'
import { createWorld, type World } from './support/world.ts'

/** Without `patient`: the host's own second and a half for the last hooks. */
story('capture takes tools of print mode: one by one, in parallel, a failing one', {}, async (world) => {
  world.model.script([
    together(
      says('Looking.', { thinking: 'Hm.' }),
      uses('Bash', { command: 'echo left' }),
      uses('Read', { file_path: world.file('README.md') }),
    ),
    uses('Write', { file_path: world.file('src/note.txt'), content: 'kept' }),
    uses('Bash', { command: 'echo broken; exit 3' }),
    says('All done.'),
  ])
  const run = await world.print('look around')

  expect([run.exitCode, run.result, run.stderr]).toEqual([0, 'All done.', ''])
  await expectComplete(world, 1)
  const entries = told(world, run.sessionId)
  // Parallel tools are told in the order in which they finish.
  expect(entries.slice(2, 4).sort()).toEqual(['Bash ok: echo left → left', 'Read ok: README.md'])
  expect(entries.toSpliced(2, 2)).toEqual([
    'user: look around',
    'assistant: Looking.',
    'Write ok: src/note.txt',
    'Bash failed: echo broken; exit 3 → Exit code 3\nbroken',
    'assistant: All done.',
  ])
  expectUntouched(world)
  expect(world.model.unscripted()).toBe(0)
  // Nobody else on the machine reads along, and git does not see it.
  const { files, modes } = listModes(memoryDir(world))
  expect(files).toContain('.owner')
  expect([...modes].sort()).toEqual(['dir 700', 'file 600'])
  expect(execFileSync('git', ['status', '--short'], { cwd: world.projectDir, encoding: 'utf8' })).toBe('?? src/\n')
})

function listModes(dir: string): { files: string[]; modes: Set<string> } {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  const stats = ['.', ...files].map((name) => statSync(join(dir, name)))
  const modes = stats.map((stat) => `${stat.isFile() ? 'file' : 'dir'} ${(stat.mode & 0o777).toString(8)}`)
  return { files, modes: new Set(modes) }
}

const silent = { ...patient, settings: { summarizer: 'extractive', rules: false } }

story('the model gets the same words as without the plugin while nothing is remembered', silent, async (world) => {
  const bare = await createWorld({ ...patient, plugin: false })
  try {
    for (const each of [world, bare]) {
      each.model.script([uses('Bash', { command: 'echo same' }), says('one'), says('two')])
      const talk = each.stream()
      await talk.say('first')
      await talk.say('second')
      await talk.end()
    }
    expect(spoken(world)).toEqual(spoken(bare))
  } finally {
    await bare.end()
  }
})

/** What was asked, request by request, without what differs between any two runs of the host. */
function spoken(world: World): string[] {
  return world.requests.map(({ messages }) =>
    JSON.stringify(messages)
      .replaceAll(world.dir, '<world>')
      .replaceAll(world.dir.replace(/[^a-zA-Z0-9]/g, '-'), '<slug>')
      .replace(/mcp__plugin_memory-keeper_memory__\w+(?:\\n)?/g, '')
      .replace(/- memory-keeper:(?:(?!\\n).)*(?:\\n)?/g, '')
      .replace(/toolu_01\w+/g, '<id>')
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>'),
  )
}

const GITHUB = `ghp_${'A1b2C3d4E5f6'.repeat(3)}`
const AWS = `q8Zt3VnL0sKfYp2RwXc7${'HbGd5MjUaE9iToN1vQ4x'}`
const PASSWORD = 'correct-horse-9-battery'

story('capture takes a conversation, and writes no secret of it', patient, async (world) => {
  world.model.script([
    says('one'),
    uses('Bash', { command: 'echo two' }),
    says('two'),
    uses('Bash', { command: `echo "AWS_SECRET_ACCESS_KEY=${AWS}"` }),
    uses('Bash', { command: `echo url=postgres://app:${PASSWORD}@db/prod; exit 1` }),
    says(`I used ${GITHUB}. Done.`),
  ])
  const talk = world.stream()
  const { sessionId } = await talk.say('first')
  await talk.say('second')
  // Each turn is kept when it ends, though the host's own file may lag behind by a result.
  expect(told(world, sessionId).map((entry) => entry.replace(/ without result| ok| → two| \(open\)/g, ''))).toEqual([
    'user: first',
    'assistant: one',
    'user: second',
    'Bash: echo two',
    'assistant: two',
  ])
  await talk.say(`push with ${GITHUB} <private>my diary</private> please`)
  const { exitCode, stderr } = await talk.end()

  expect([exitCode, stderr]).toEqual([0, ''])
  await expectComplete(world, 1)
  expect(told(world, sessionId)).toEqual([
    'user: first',
    'assistant: one',
    'user: second',
    'Bash ok: echo two → two',
    'assistant: two',
    expect.stringMatching(/^user: push with \[redacted/),
    expect.stringMatching(/^Bash ok: echo/),
    expect.stringMatching(/^Bash failed: echo/),
    expect.stringMatching(/^assistant: I used \[redacted/),
  ])
  // The transcripts are the host's, and the proof that the secrets were there.
  const transcript = JSON.stringify(world.transcript(sessionId))
  const ours = everythingBelow(memoryDir(world)) + everythingBelow(homeDir(world))
  for (const secret of [GITHUB, AWS, PASSWORD, 'my diary']) {
    expect(transcript).toContain(secret)
    expect(ours).not.toContain(secret)
  }
  expectUntouched(world)
})

story('two sessions that run at the same time are kept apart', patient, async (world) => {
  world.model.script(({ lastUser, toolResults }) => {
    const name = /\b(ada|bob)\b/.exec(`${lastUser} ${toolResults}`)?.[1] ?? 'nobody'
    return toolResults.length > 0 ? says(`done ${name}`) : uses('Bash', { command: `echo ${name}` })
  })
  const talks = [
    { name: 'ada', talk: world.stream() },
    { name: 'bob', talk: world.stream() },
  ]
  const sessions = await Promise.all(
    talks.map(async ({ name, talk }) => {
      const { sessionId } = await talk.say(`${name} one`)
      await talk.say(`${name} two`)
      return { name, sessionId, run: await talk.end() }
    }),
  )

  await expectComplete(world, 2)
  for (const { name, sessionId, run } of sessions) {
    expect([run.exitCode, run.stderr]).toEqual([0, ''])
    expect(told(world, sessionId)).toEqual([
      `user: ${name} one`,
      `Bash ok: echo ${name} → ${name}`,
      `assistant: done ${name}`,
      `user: ${name} two`,
      `Bash ok: echo ${name} → ${name}`,
      `assistant: done ${name}`,
    ])
  }
  expectUntouched(world)
})

story('a session in which nothing was said is not kept', patient, async (world) => {
  const talk = world.stream()
  const { exitCode, stderr } = await talk.end()

  expectQuiet(stderr)
  expect(exitCode).toBe(0)
  await expectComplete(world, 0)
  expect(allTold(memoryDir(world))).toEqual([])
})
