/** The skills that people type: answered with the exact output of our command, literally, without a question and without a model. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { allTold, everythingBelow, expectNothingLeft, homeDir, memoryDir, patient } from './support/memory.ts'
import { requestsOf } from './support/notes.ts'
import { liveThroughThePast, RETRY_ANSWER } from './support/past.ts'
import { ASKED, ask, askPasted } from './support/skills.ts'
import { storiesAfter, story } from './support/story.ts'
import type { Terminal } from './support/terminal.ts'
import { says } from './support/turn.ts'
import type { World } from './support/world.ts'

/** Nothing is allowed: whatever asks would stand on the screen. */
const strict = { ...patient, permissionMode: 'default', allowedTools: ['Bash(echo *)', 'Write'] }
const HOSTS = { current: strict, older: { ...strict, host: 'older' as const } }
/** As the skills end what they give to a shell. */
const END_WORD = 'MEMORY_KEEPER_END_5d81c0e7'
const SECRET = 'the harbour master is called Zephyrine'
const storyAfterThePast = storiesAfter(liveThroughThePast)
const NO_HOOKS = { args: ['--settings', '{"disableAllHooks":true}'] }

function trap(world: World): string {
  return join(world.dir, 'executed')
}

/** Every sign that means something to a shell, to the host or to a skill. */
function tricky(world: World): string {
  const run = `touch ${trap(world)}`
  return `the retry cache isn't "lost" $(${run}) \`${run}\` ; ${run} && $HOME \${CLAUDE_SESSION_ID} $ARGUMENTS $0 캐시 \\n <b> --json`
}

/** What our command says to the same words, in a terminal of the user's own. */
function said(world: World, skill: string, words: string): string {
  const program = join(resolve(import.meta.dirname, '..', '..'), 'plugin', 'dist', 'cli.cjs')
  const { stdout, stderr } = spawnSync(process.execPath, [program, 'skill', skill, '--project', world.projectDir], {
    input: words,
    encoding: 'utf8',
    env: { HOME: world.home, PATH: '/usr/bin:/bin', NO_COLOR: '1', COLUMNS: '78' },
  })
  return `${stdout}${stderr}`.trimEnd()
}

async function open(world: World): Promise<Terminal> {
  world.model.script([says('Good morning.'), says('You are welcome.')])
  const terminal = await world.terminal()
  await terminal.say('good morning')
  return terminal
}

for (const [host, options] of Object.entries(HOSTS)) {
  storyAfterThePast(
    `answers what people type as it stands, and asks no model, on the ${host} host`,
    options,
    async (world) => {
      const terminal = await open(world)
      await expectLooked(world, terminal)
      await expectRemembered(world, terminal)
      await expectForgotten(world, terminal)
      await expectNoted(world, terminal)
      await expectPage(world, terminal)
      expect(existsSync(trap(world))).toBe(false)
      await terminal.say('thank you')
      await terminal.exit()
      await expectNothingLeft(world)
      // It was for the user: Claude neither hears of it nor pays for it, and memory does not feed on itself.
      const last = requestsOf(world, 'main').at(-1)
      expect(last?.text).not.toContain('blocked by hook')
      expect(last?.text).not.toContain('/memory-keeper:')
      const kept = allTold(memoryDir(world))
        .at(-1)
        ?.filter((line) => line !== 'user: /exit')
      expect(kept).toEqual([
        'user: good morning',
        'assistant: Good morning.',
        'user: thank you',
        'assistant: You are welcome.',
      ])
    },
  )

  storyAfterThePast(
    `answers in print mode, and without hooks through Claude, on the ${host} host`,
    options,
    async (world) => {
      const before = world.requests.length
      const run = await world.print('/memory-keeper:search-memory retry cache')
      await expectNothingLeft(world)
      // The server that the host has just killed may have been about to index: that is mended, and said, once.
      said(world, 'search-memory', 'retry cache')
      expect(run.result).toContain(said(world, 'search-memory', 'retry cache'))
      expect(world.requests).toHaveLength(before)

      // Only there the host replaces what looks like its own variables.
      const words = tricky(world).replaceAll(/\$\{?[A-Z_0]+\}?/g, '')
      world.model.script([says('As it stands.'), says('One screen.')])
      const found = await world.print(`/memory-keeper:search-memory ${words}`, NO_HOOKS)
      const status = await world.print('/memory-keeper:memory-status', NO_HOOKS)
      const [first, second] = requestsOf(world, 'main').slice(-2)
      expect([found.result, status.result]).toEqual(['As it stands.', 'One screen.'])
      expect(spaced(first?.text ?? '')).toContain(RETRY_ANSWER.slice(0, 80))
      expect(second?.text).toContain(memoryDir(world))
      expect(`${first?.text}${second?.text}`).not.toMatch(ASKED)
      expect(existsSync(trap(world))).toBe(false)
      expect(world.requests).toHaveLength(before + 2)
      await expectNothingLeft(world)
    },
  )
}

story('an order that was pasted as a block does not run, and Claude says so', strict, async (world) => {
  const terminal = await open(world)
  world.model.script([says('Please type it.')])
  await terminal.paste(`/memory-keeper:remember ${'the port is closed '.repeat(110)}`)
  await terminal.exit()
  await expectNothingLeft(world)

  expect(requestsOf(world, 'main').at(-1)?.text).toContain('Memory Keeper did not run the line above')
  expect(everythingBelow(memoryDir(world))).not.toContain('author=user')
})

story('a skill takes several lines, also the one that would end a shell’s input', strict, async (world) => {
  const terminal = await open(world)
  const lines = ['we met the port', END_WORD, `touch ${trap(world)}`, 'and left']
  const before = world.requests.length
  await terminal.type(`/memory-keeper:remember ${lines[0]}`)
  for (const line of lines.slice(1)) {
    await terminal.key('M-Enter')
    await terminal.type(line)
  }
  await terminal.enter()
  await world.until('the note', () => existsSync(world.file('.claude/memory/memory.md')))
  await terminal.exit()

  expect(world.read('.claude/memory/memory.md')).toContain(lines.join('\n'))
  expect(existsSync(trap(world))).toBe(false)
  expect(world.requests).toHaveLength(before)
  await expectNothingLeft(world)
})

async function expectLooked(world: World, terminal: Terminal): Promise<void> {
  const words = tricky(world)
  const found = await ask(world, terminal, 'search-memory', words)
  expect(found).toContain('retry cache')
  expect(found).toBe(said(world, 'search-memory', words))
  const context = await ask(world, terminal, 'memory-context', 'retry cache')
  expect(context).toBe(said(world, 'memory-context', 'retry cache'))
  expect(await ask(world, terminal, 'memory-facts')).toBe(said(world, 'memory-facts', ''))
  expect(await ask(world, terminal, 'memory-status')).toContain(memoryDir(world))
  expect(found).toMatch(/^Memory Keeper: \d+ hits? for '/)
  const id = /\/memory-keeper:show (\S+)/.exec(found)?.[1] ?? ''
  expect(spaced(await ask(world, terminal, 'show', id))).toBe(spaced(said(world, 'show', id)))
  expect(await ask(world, terminal, 'show', words)).toContain('is not an id')
  expect(await ask(world, terminal, 'show')).toContain('/memory-keeper:show d001')
  expect(await ask(world, terminal, 'search-memory')).toContain('Give words to find')
  expect(await ask(world, terminal, 'memory-context', '캐시 `id` "x"')).not.toBe('')
  const long = '캐시 retry '.repeat(200).trim()
  expect(await askPasted(world, terminal, 'search-memory', long)).toMatch(/^Memory Keeper: \d+ hits? for '캐시 retry/)
  // The host puts a pasted text that was answered back into the input.
  await terminal.key('C-u')
}

async function expectRemembered(world: World, terminal: Terminal): Promise<void> {
  const words = tricky(world)
  expect(await ask(world, terminal, 'remember', words)).toMatch(/^n-\S+\n/)
  expect(world.read('.claude/memory/memory.md')).toMatch(/author=user .*\nthe retry cache isn't "lost"/)
  expect(world.read('.claude/memory/memory.md')).toContain(words)
  expect(await ask(world, terminal, 'remember', `decision: ${SECRET}`)).toMatch(/^d\d+/)
  const { decisions } = JSON.parse(world.read('.claude/memory/facts.json')) as { decisions: object[] }
  expect(decisions.at(-1)).toMatchObject({ text: SECRET, author: 'user' })
  expect(await ask(world, terminal, 'remember', '규칙: 배를 "그녀"라고 부르지 않는다')).toContain('Added')
  expect(await ask(world, terminal, 'undo', 'list')).toContain('/memory-keeper:undo')
  expect(await ask(world, terminal, 'undo', '$(id) everything')).toContain('/memory-keeper:undo list')
  expect(await ask(world, terminal, 'undo')).toContain('Undone: rule added')
  expect(await ask(world, terminal, 'remember')).toContain('Say what to remember')
}

async function expectForgotten(world: World, terminal: Terminal): Promise<void> {
  const { decisions } = JSON.parse(world.read('.claude/memory/facts.json')) as { decisions: { id: string }[] }
  const id = decisions.at(-1)?.id ?? ''
  const plan = await ask(world, terminal, 'forget', id)
  expect(plan).toContain('Zephyrine')
  expect(plan.endsWith(`type: /memory-keeper:forget ${id} yes`)).toBe(true)
  expect(everythingBelow(memoryDir(world))).toContain('Zephyrine')
  expect(await ask(world, terminal, 'forget', `${id} yes`)).toContain('Forgotten')
  expect(everythingBelow(memoryDir(world))).not.toContain('Zephyrine')
  expect(everythingBelow(homeDir(world))).not.toContain('Zephyrine')
}

async function expectNoted(world: World, terminal: Terminal): Promise<void> {
  expect(await ask(world, terminal, 'memory-delta')).toMatch(/n-[0-9a-f]{8}-0-2/)
  expect(world.read('.claude/memory/memory.md')).toContain('good morning')
  expect(await ask(world, terminal, 'memory-delta')).toMatch(/^Nothing waits for a note/)
  expect(await ask(world, terminal, 'memory-rotate')).not.toBe('')
}

/** The page outlives the command, and the session does not wait for it. */
async function expectPage(world: World, terminal: Terminal): Promise<void> {
  const url = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(await ask(world, terminal, 'dashboard'))?.[0] ?? ''
  expect((await fetch(url, { redirect: 'manual' })).status).toBe(303)
  for (const { pid, command } of world.processes()) if (command.includes(' dashboard ')) process.kill(pid)
}

/** Lines are broken where the screen ends. */
function spaced(text: string): string {
  return text.replace(/\s+/g, ' ')
}
