/** Sessions as a person has them: the terminal, its interruptions, and all the ways of saying something. */
import { expect } from 'vitest'
import { expectComplete, expectQuiet, expectUntouched, onlySession, patient, told } from './support/memory.ts'
import { story } from './support/story.ts'
import type { Terminal } from './support/terminal.ts'
import { says, together, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

/** Runs until it is killed, and is easy to find. */
const ENDLESS = 'tail -f /dev/null'

/** A dialog that has just come up may ignore the first Enter; one too many does nothing in an empty input. */
async function confirm(terminal: Terminal): Promise<void> {
  while (terminal.screen().includes('Enter to select')) {
    await terminal.enter()
    await terminal.waitUntilIdle()
  }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function isEndless({ command }: { command: string }): boolean {
  return command.startsWith(ENDLESS)
}

/** Without `patient`: the host's own second and a half for the last hooks. */
story('capture takes a session in the terminal and shows nothing of itself', {}, async (world) => {
  const terminal = await world.terminal()
  expectQuiet(terminal.screen())
  world.model.script([
    together(says('Looking.'), uses('Bash', { command: 'echo seen' })),
    says('It is seen.'),
    says('Goodbye.'),
  ])
  await terminal.say('look there')
  await terminal.say('thank you')
  expect(terminal.screen()).toContain('Goodbye.')
  expect(terminal.screen()).not.toContain('rules injected')
  expectQuiet(terminal.screen())
  expect(await terminal.exit()).toBe(0)
  expectQuiet(terminal.screen())

  await expectComplete(world, 1)
  expect(told(world, onlySession(world))).toEqual([
    'user: look there',
    'assistant: Looking.',
    'Bash ok: echo seen → seen',
    'assistant: It is seen.',
    'user: thank you',
    'assistant: Goodbye.',
  ])
  expectUntouched(world)
})

story('capture keeps what is interrupted, queued, and cut off by a signal', patient, async (world) => {
  const terminal = await world.terminal()
  world.model.script([
    uses('Bash', { command: ENDLESS }),
    says('word '.repeat(400), { pieceDelayMs: 200 }),
    uses('Bash', { command: ENDLESS }),
    says('Both heard.'),
    says('slow '.repeat(30), { pieceDelayMs: 150 }),
    says('Now you.'),
    together(says('Waiting.'), uses('Bash', { command: ENDLESS })),
  ])
  await terminal.send('wait for me')
  await world.until('the tool', () => world.processes().some(isEndless))
  await terminal.key('Escape')
  await terminal.waitFor(/Interrupted/)
  await terminal.waitUntilIdle()
  await terminal.send('talk long')
  await terminal.waitFor(/word word/)
  await terminal.key('Escape')
  await terminal.waitFor(/Interrupted[\s\S]*Interrupted/)
  await terminal.waitUntilIdle()

  await terminal.send('start')
  const tool = await world.until('the tool', () => world.processes().find(isEndless))
  await terminal.send('queued one')
  await terminal.send('queued two')
  // Both wait before the tool ends, or the second one becomes a turn of its own.
  await world.until(
    'both in the queue',
    () => count(world.read(world.transcripts()[0] ?? ''), /"operation":"enqueue"/g) === 2,
  )
  process.kill(tool.pid)
  await terminal.waitUntilIdle()
  await terminal.send('talk')
  await terminal.waitFor(/slow slow/)
  await terminal.send('and me')
  await terminal.waitFor(/Now you\./)
  await terminal.waitUntilIdle()
  expectQuiet(terminal.screen())

  await terminal.send('wait')
  await world.until('the tool', () => world.processes().some(isEndless))
  process.kill(terminal.pid, 'SIGTERM')
  await expectLeft(world, terminal)
  expect(told(world, onlySession(world))).toEqual([
    'user: wait for me',
    CUT_OFF,
    'user in interrupt: [Request interrupted by user for tool use]',
    'user: talk long',
    expect.stringMatching(/^assistant: (?:word )+w?o?r?d?$/),
    'user in interrupt: [Request interrupted by user]',
    'user: start',
    expect.stringMatching(/^Bash (?:ok|failed): tail -f \/dev\/null/),
    'user: queued one',
    'user: queued two',
    'assistant: Both heard.',
    'user: talk',
    `assistant: ${'slow '.repeat(30).trim()}`,
    'user: and me',
    'assistant: Now you.',
    'user: wait',
    'assistant: Waiting.',
    CUT_OFF,
  ])
})

const CUT_OFF = expect.stringMatching(/^Bash (?:failed|without result): tail -f \/dev\/null/)

/** In the middle of a tool: what that started belongs to the host, not to us. */
async function expectLeft(world: World, terminal: Terminal): Promise<void> {
  await world.until('the host to leave', () => !world.processes().some(({ pid }) => pid === terminal.pid))
  for (const { pid } of world.processes().filter(isEndless)) process.kill(pid, 'SIGKILL')
  await expectComplete(world, 1)
}

const asking = {
  ...patient,
  permissionMode: 'default',
  allowedTools: [],
  settings: { summarizer: 'extractive', rulesIndicator: 'line' },
}
const question = {
  question: 'Which colour?',
  header: 'Colour',
  multiSelect: false,
  options: [
    { label: 'Red', description: 'warm' },
    { label: 'Blue', description: 'cold' },
  ],
}

story('capture keeps a person’s words wherever they are said, and when the window is closed', asking, async (world) => {
  world.write('.claude/commands/greet.md', '---\ndescription: Greets\n---\nGreet $ARGUMENTS.\n')
  const terminal = await world.terminal()
  world.model.script([
    uses('Bash', { command: 'touch here' }),
    says('Then not.'),
    uses('AskUserQuestion', { questions: [question] }),
    says('Blue it is.'),
    says('Hello, world.'),
    says('I see.'),
    together(says('Waiting.'), uses('Bash', { command: ENDLESS })),
  ])
  await terminal.send('make a file')
  await terminal.waitFor(/Do you want to proceed/)
  for (let choice = 2; choice <= 4; choice++) {
    await terminal.key('Down')
    await terminal.waitFor(new RegExp(`❯ ${choice}\\.`))
  }
  await terminal.key('Tab')
  await terminal.type('use another name')
  await terminal.enter()
  await terminal.waitFor(/Then not\./)
  await terminal.waitUntilIdle()

  await terminal.send('ask me')
  await terminal.waitFor(/Enter to select/)
  await terminal.key('Down')
  await terminal.waitFor(/❯ 2\. Blue/)
  await confirm(terminal)
  await terminal.waitFor(/Blue it is\./)
  await terminal.waitUntilIdle()

  await terminal.say('/greet the whole "world"')
  await terminal.say('!echo hi there')
  expectQuiet(terminal.screen())
  expect(terminal.screen()).toContain('[rules injected]')
  await terminal.send('wait')
  await terminal.waitFor(/❯ 1\. Yes/)
  // The dialog is drawn before it takes a key.
  await world.until('the tool', () => {
    const isRunning = world.processes().some(isEndless)
    if (!isRunning) void terminal.enter()
    return isRunning
  })
  await terminal.close()
  await expectLeft(world, terminal)
  expect(told(world, onlySession(world))).toEqual([
    'user: make a file',
    'Bash failed: touch here',
    'user in Bash: use another name',
    'assistant: Then not.',
    'user: ask me',
    'AskUserQuestion ok: Which colour?',
    'user in AskUserQuestion: "Which colour?"="Blue"',
    'assistant: Blue it is.',
    'user: /greet the whole "world"',
    'assistant: Hello, world.',
    'user: ! echo hi there',
    'assistant: I see.',
    'user: wait',
    'assistant: Waiting.',
    CUT_OFF,
  ])
  expectUntouched(world)
})
