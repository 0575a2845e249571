/** Tiers: what is old is combined by week and month and packed, and still is complete, can be found and goes on when resumed. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { instantOf, tellAsOlder } from './support/aged.ts'
import { everythingBelow, expectComplete, keeper, memoryDir, patient } from './support/memory.ts'
import { live } from './support/sessions.ts'
import { story } from './support/story.ts'
import { says } from './support/turn.ts'
import type { World } from './support/world.ts'

const PROMPTS = [
  'The lantern of the lighthouse flickers at night, please find out why.',
  'We decided to give the lantern a second battery, because the first one is weak.',
]
const ANSWERS = [says('The lantern flickers because its cable is loose.'), says('The lantern has two batteries now.')]

function sessionFiles(world: World): string[] {
  return readdirSync(join(memoryDir(world), 'sessions'))
}

function packed(world: World): string[] {
  const archive = join(memoryDir(world), 'sessions', 'archive')
  return existsSync(archive) ? readdirSync(archive).sort() : []
}

/** One session of today, one of last week, one of two months ago; then another one ends, and its finisher tidies up. */
async function grow(world: World): Promise<{ lastWeek: string; longAgo: string }> {
  const today = await live(world, PROMPTS, ANSWERS)
  const lastWeek = tellAsOlder(world, today, 10, { lantern: 'foghorn' })
  const longAgo = tellAsOlder(world, today, 60, { lantern: 'astrolabe' })
  await live(world, ['Good evening.'])
  return { lastWeek, longAgo }
}

for (const host of ['current', 'older'] as const) {
  story(
    `combines and packs what is old at the end of a session on the ${host} host`,
    { ...patient, host },
    async (world) => {
      const { lastWeek, longAgo } = await grow(world)

      const files = sessionFiles(world)
      const weeks = files.filter((name) => /^week-\d{4}-\d\d\.md$/.test(name))
      expect(weeks).toHaveLength(1)
      expect(everythingBelow(join(memoryDir(world), 'sessions'))).toContain('foghorn')
      const month = `${instantOf(60).slice(0, 7)}.md`
      const session = expect.stringMatching(new RegExp(`_${longAgo.slice(0, 8)}\\.l1\\.jsonl\\.gz$`))
      expect(packed(world)).toEqual([month, session].toSorted())
      // The pieces are gone, the sessions themselves are not.
      const left = (id: string) => files.filter((name) => name.includes(id.slice(0, 8)) && /\.md$/.test(name))
      expect([...left(lastWeek), ...left(longAgo)]).toEqual([])
      expect(files.filter((name) => name.includes(lastWeek.slice(0, 8)) && name.endsWith('.l1.jsonl'))).toHaveLength(1)
      await expectComplete(world, 4)
      expectFound(world, longAgo)
    },
  )
}

/** Word for word in the packed session, and in the month that tells of it. */
function expectFound(world: World, longAgo: string): void {
  const id8 = longAgo.slice(0, 8)
  const hitsOf = (...args: string[]) => {
    const { stdout } = keeper(world, ['search', ...args, '--json'])
    return (JSON.parse(stdout) as { hits: { id: string; snippet: string; also: string[] }[] }).hits
  }
  const entry = hitsOf('astrolabe cable loose', '--deep').find(({ id }) => id === `L1:${id8}#1`)
  expect(entry?.snippet.replaceAll('**', '')).toBe('The astrolabe flickers because its cable is loose.')
  for (const id of [`L1:${id8}#1`, `${instantOf(60).slice(0, 7)}.md#${id8}`]) {
    const shown = keeper(world, ['show', id])
    expect([shown.exitCode, shown.stderr]).toEqual([0, ''])
    expect(shown.stdout).toContain('astrolabe')
  }
  const told = hitsOf('astrolabe of the lighthouse flickers at night').flatMap(({ id, also }) => [id, ...also])
  expect(told).toContain(`${instantOf(60).slice(0, 7)}.md#${id8}`)
}

story('a packed session goes on when it is resumed', patient, async (world) => {
  const { longAgo } = await grow(world)
  expect(packed(world).join()).toContain(longAgo.slice(0, 8))

  world.model.script([says('The astrolabe shines again.')])
  const run = await world.print('How is the astrolabe now, after all this time?', { resume: longAgo })
  expect([run.result, run.stderr]).toEqual(['The astrolabe shines again.', ''])
  await expectComplete(world, 4)
  const found = keeper(world, ['search', 'astrolabe shines again', '--deep']).stdout
  expect(found).toContain(`L1:${longAgo.slice(0, 8)}#`)
  const first = keeper(world, ['show', `L1:${longAgo.slice(0, 8)}#0`]).stdout
  expect(first).toContain('The astrolabe of the lighthouse flickers at night')
})
