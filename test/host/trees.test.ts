/** Where sessions are found: in worktrees beside the project, in directories with long paths, and in forks of forks. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect } from 'vitest'
import { hostSlug } from '../../src/kernel/platform/layout.ts'
import {
  expectComplete,
  expectNothingLeft,
  expectUntouched,
  keeper,
  memoryOf,
  patient,
  told,
} from './support/memory.ts'
import { requestsOf } from './support/notes.ts'
import { killProcess } from './support/processes.ts'
import { keptIn, spokenIn } from './support/spoken.ts'
import { story } from './support/story.ts'
import { says, together, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const ENDLESS = 'tail -f /dev/null'

function git(world: World, cwd: string, ...args: string[]): void {
  execFileSync('git', args, { cwd, env: { HOME: world.home, PATH: '/usr/bin:/bin' }, stdio: 'ignore' })
}

/** Prompts, the last of which starts a tool that never ends; then the host is killed. */
async function killedIn(world: World, cwd: string, prompts: readonly string[]): Promise<string> {
  const talk = world.stream({ cwd })
  const [last = '', ...earlier] = prompts.toReversed()
  for (const prompt of earlier.toReversed()) await talk.say(prompt)
  const isLost = talk.say(last)
  await world.until('the tool', () => world.processes().some(({ command }) => command.startsWith(ENDLESS)))
  // The host writes in batches: what it never wrote nobody can know.
  await world.until('its line', () =>
    world.transcripts().some((path) => {
      const text = readFileSync(path, 'utf8')
      return text.includes(last) && text.includes(ENDLESS)
    }),
  )
  await talk.kill()
  for (const { pid, command } of world.processes()) if (command.includes(ENDLESS)) killProcess(pid)
  await expectNothingLeft(world)
  return (await isLost).sessionId
}

const CUT_OFF = expect.stringMatching(/^Bash without result: tail -f \/dev\/null/)

const HOSTS = [
  { ...patient, host: 'current' },
  { ...patient, host: 'older', onlyWithAll: 'the same on the current host' },
] as const

for (const options of HOSTS) {
  const { host } = options
  story(`catches up sessions killed in a worktree beside the project, on the ${host} host`, options, async (world) => {
    const waiting = (words: string) => together(says(words), uses('Bash', { command: ENDLESS }))
    world.model.script([
      waiting('Looking at the buoys.'),
      says('Two.'),
      waiting('Looking at the piers.'),
      says('Back.'),
    ])
    const beside = join(world.dir, 'feature')
    git(world, world.projectDir, 'worktree', 'add', '-b', 'feature', beside)
    const first = await killedIn(world, beside, ['count the buoys'])
    const second = await killedIn(world, beside, ['how many piers?', 'count the piers'])

    const next = await world.print('a session in the main checkout')
    expect([next.result, next.stderr]).toEqual(['Back.', ''])
    await expectComplete(world, 3)
    expect(told(world, first)).toEqual(['user: count the buoys', 'assistant: Looking at the buoys.', CUT_OFF])
    expect(told(world, second)).toEqual([
      'user: how many piers?',
      'assistant: Two.',
      'user: count the piers',
      'assistant: Looking at the piers.',
      CUT_OFF,
    ])
    expect(existsSync(join(beside, '.claude', 'memory'))).toBe(false)
    expectUntouched(world)
    expect(spokenIn(world)).toHaveLength(8)
    expect(keptIn(world)).toEqual(spokenIn(world))
    expect(keeper(world, ['doctor']).stdout).toContain('every transcript on this machine is captured')
  })

  story(`tells every word of a fork of a fork once, on the ${host} host`, options, async (world) => {
    const answers = ['one', 'two', 'three', 'four', 'five'].map((word) => says(`Answer ${word}.`))
    world.model.script([uses('Bash', { command: 'echo a' }), ...answers])
    const first = await world.print('prompt one')
    const fork = await world.print('prompt two', { resume: first.sessionId, fork: true })
    const again = await world.print('prompt three', { resume: fork.sessionId, fork: true })
    await world.print('prompt four', { resume: first.sessionId })
    await world.print('prompt five', { resume: again.sessionId })

    await expectComplete(world, 3)
    expect(told(world, first.sessionId)).toEqual([
      'user: prompt one',
      'Bash ok: echo a → a',
      'assistant: Answer one.',
      'user: prompt four',
      'assistant: Answer four.',
    ])
    expect(told(world, fork.sessionId)).toEqual(['user: prompt two', 'assistant: Answer two.'])
    expect(told(world, again.sessionId)).toEqual([
      'user: prompt three',
      'assistant: Answer three.',
      'user: prompt five',
      'assistant: Answer five.',
    ])
    expect(requestsOf(world, 'main').at(-1)?.text).toMatch(/prompt one[\s\S]*prompt two[\s\S]*prompt three/)
    expect(spokenIn(world)).toHaveLength(10)
    expect(keptIn(world)).toEqual(spokenIn(world))
    expectUntouched(world)
  })

  story(`finds sessions below a path of more than 200 characters, on the ${host} host`, options, async (world) => {
    world.model.script([says('In the root.'), says('Below.')])
    const long = join(world.dir, 'x'.repeat(120), 'é한y'.repeat(30))
    const below = join(long, 'packages')
    mkdirSync(below, { recursive: true })
    git(world, long, 'init')
    // Without hooks: only their names lead to them.
    const runs = [
      await world.print('root', { cwd: long, env: { MEMORY_KEEPER_CHILD: '1' } }),
      await world.print('below', { cwd: below, env: { MEMORY_KEEPER_CHILD: '1' } }),
    ]
    expect(runs.map(({ stderr }) => stderr)).toEqual(['', ''])
    expect(world.transcripts().map((path) => basename(dirname(path)))).toEqual([hostSlug(long), hostSlug(below)].sort())

    expect(keeper(world, ['import'], long).exitCode).toBe(0)
    await expectComplete(world, 2, long)
    expect(memoryOf(join(long, '.claude', 'memory'))).toHaveLength(2)
  })
}
