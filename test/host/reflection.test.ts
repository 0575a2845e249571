/** What recurs: the user's own words become permanent, Claude's wait for a yes, and what was taken back is told no more. */

import { expect } from 'vitest'
import type { PermanentItem } from '../../src/core/knowledge/item.ts'
import { allPermanent } from '../../src/core/knowledge/items.ts'
import { listed } from '../support/fact.ts'
import { conceptsIn, factsIn } from './support/extractor.ts'
import { keeper, memoryDir, memoryOf, patient } from './support/memory.ts'
import { callsOf, requestsOf } from './support/notes.ts'
import type { ModelRequest } from './support/request.ts'
import { live, liveAtTerminal, nextBriefing, SMALL_TALK } from './support/sessions.ts'
import { ask } from './support/skills.ts'
import { storiesAfter, story } from './support/story.ts'
import { extracts, says, type Turn } from './support/turn.ts'
import type { World } from './support/world.ts'

const auto = { ...patient, settings: {}, isModelNoticed: true }

const METRES = [
  'We decided that every depth in the charts is given in metres.',
  'We decided that every depth in the charts is given in metres.',
  'we decided that every depth in the charts is given in metres',
]
const LEAFLET = 'We decided to draw the maps with Leaflet, because it is small.'
const MAPLIBRE = 'We decided to draw the maps with MapLibre instead of Leaflet, because its tiles are sharper.'
const FEBRUARY = 'The tide export still fails on the last day of February.'
const REPAIRED = 'The tide export works on the last day of February now: the leap year is counted.'

const metres = {
  type: 'decision',
  text: 'Every depth in the charts is given in metres.',
  quote: 'every depth in the charts is given in metres',
  conceptName: 'chart depths',
}
const leaflet = {
  type: 'decision',
  text: 'The maps are drawn with Leaflet.',
  reason: 'It is small.',
  quote: 'draw the maps with Leaflet, because it is small',
  conceptName: 'map drawing',
}
const february = {
  type: 'issue',
  text: 'The tide export fails on the last day of February.',
  quote: 'The tide export still fails on the last day of February',
  status: 'open',
  conceptName: 'tide export',
}

/** The id under which something is known, as the child was told. */
function knownAs({ text }: ModelRequest, pattern: RegExp): string {
  return pattern.exec(text)?.[1] ?? 'unknown'
}

function concept(world: World, name: string): string {
  return conceptsIn(world).concepts.find((one) => one.name === name)?.id ?? 'unknown'
}

function permanent(world: World): PermanentItem[] {
  return allPermanent(factsIn(world))
}

/** Three sessions: one decision in each of them, one that is replaced, one issue that is solved. */
async function liveThrough(world: World): Promise<void> {
  world.model.onChild([
    extracts({ note: 'The user decided about depths and maps.', facts: [metres, leaflet, february] }),
  ])
  await liveAtTerminal(world, [METRES[0] ?? '', LEAFLET, FEBRUARY, ...SMALL_TALK.slice(1)])
  world.model.onChild([
    () => extracts({ note: 'The user repeated how depths are given.', facts: [{ ...metres, ...known(world) }] }),
  ])
  await liveAtTerminal(world, [METRES[1] ?? '', ...SMALL_TALK])
  world.model.onChild([(request) => extracts({ note: 'The user changed the maps.', facts: changes(world, request) })])
  await liveAtTerminal(
    world,
    [METRES[2] ?? '', MAPLIBRE, 'How is the export?', ...SMALL_TALK.slice(1)],
    [says('Noted.'), says('Very well.'), says(REPAIRED)],
  )
}

function known(world: World): { conceptId: string; conceptName: undefined } {
  return { conceptId: concept(world, 'chart depths'), conceptName: undefined }
}

function changes(world: World, request: ModelRequest): object[] {
  return [
    { ...metres, ...known(world) },
    {
      type: 'decision',
      text: 'The maps are drawn with MapLibre instead of Leaflet.',
      reason: 'Its tiles are sharper.',
      quote: 'draw the maps with MapLibre instead of Leaflet, because its tiles are sharper',
      conceptId: concept(world, 'map drawing'),
      supersedes: [knownAs(request, /(d\d{3}) decision of c\d{3}: The maps are drawn with Leaflet/)],
    },
    {
      type: 'issue',
      text: 'The tide export works on the last day of February.',
      quote: 'The tide export works on the last day of February now: the leap year is counted',
      status: 'resolved',
      resolution: 'The leap year is counted.',
      conceptId: concept(world, 'tide export'),
      resolves: knownAs(request, /(i\d{3}) open issue: The tide export fails/),
    },
  ]
}

story(
  'reflection keeps what was repeated, replaced and solved over three sessions, and the next one gets just that',
  auto,
  async (world) => {
    await liveThrough(world)
    const sessions = memoryOf(memoryDir(world)).map(({ id8 }) => id8)

    const { decisions, issues, patterns } = listed(factsIn(world))
    const [depths, old, newer] = decisions
    expect(decisions.map(({ text, state }) => [text, state])).toEqual([
      [metres.text, 'fresh'],
      [leaflet.text, 'superseded'],
      ['The maps are drawn with MapLibre instead of Leaflet.', 'fresh'],
    ])
    expect(depths?.also).toEqual([`${sessions[1]}#0`, `${sessions[2]}#0`])
    expect(old?.judged).toMatchObject({ other: newer?.id })
    expect(issues.map(({ text, status, resolution }) => [text, status, resolution])).toEqual([
      [february.text, 'resolved', 'The leap year is counted.'],
    ])
    expect(patterns).toEqual([])
    expect(conceptsIn(world).concepts.map(({ name }) => name)).toEqual(['chart depths', 'map drawing', 'tide export'])

    // The user said it in three sessions, so it holds, and nobody had to be asked: no model, no person.
    const [rule, ...others] = permanent(world)
    expect(others).toEqual([])
    expect(rule).toMatchObject({ id: 'r001', state: 'active', facts: [depths?.id] })
    expect(rule?.text).toContain('every depth in the charts is given in metres')
    expect(new Set(rule?.evidence.map(({ session }) => session))).toEqual(new Set(sessions))
    expect(callsOf(world).map(({ kind }) => kind)).toEqual(['note', 'audit', 'note', 'audit', 'note', 'audit'])

    const briefing = await nextBriefing(world)
    // A rule is an instruction of the user's: told as such, outside of what is only information.
    const request = requestsOf(world, 'main').at(-1)?.text ?? ''
    expect(request).toMatch(/^Memory Keeper rules[\s\S]*?^- .*every depth in the charts is given in metres/m)
    expect(briefing).toMatch(new RegExp(`^- ${newer?.id} .*MapLibre`, 'm'))
    expect(briefing).not.toMatch(new RegExp(`^- ${old?.id} `, 'm'))
    expect(briefing).not.toContain(leaflet.text)
    expect(briefing).not.toMatch(new RegExp(`^- ${issues[0]?.id} `, 'm'))
    expect(briefing).not.toMatch(/known issue/)

    expectShown(world, { old: old?.id ?? '', issue: issues[0]?.id ?? '', sessions })

    // And the person is told once, at the next start somebody sits at.
    const terminal = await world.terminal()
    expect(unwrapped(terminal.screen())).toMatch(
      /says: Memory Keeper: "[^"]*every depth in the charts is given in metres[^"]*" is a rule now, since you said it in several sessions\./,
    )
    await terminal.exit()
  },
)

/** Search says what became of each, and reflect shows where a rule comes from. */
function expectShown(world: World, { old, issue, sessions }: { old: string; issue: string; sessions: string[] }): void {
  const found = keeper(world, ['search', 'maps drawn with Leaflet', '--type', 'decision', '--json'])
  const { hits } = JSON.parse(found.stdout) as { hits: { id: string; state?: string }[] }
  expect(hits.find(({ id }) => id === old)?.state).toBe('superseded')
  const plain = keeper(world, ['search', 'tide export February']).stdout
  expect(plain).toMatch(new RegExp(`${issue}[^\\n]*resolved`))
  const reflected = keeper(world, ['rules'])
  expect([reflected.exitCode, reflected.stderr]).toEqual([0, ''])
  expect(reflected.stdout).toContain('r001')
  for (const session of sessions) expect(reflected.stdout).toContain(`L1:${session}#0`)
}

const HABIT = 'We decided to keep the drawn charts out of git, because they can be made again.'
const habit = {
  type: 'decision',
  text: 'The drawn charts are kept out of git.',
  reason: 'They can be made again.',
  quote: 'keep the drawn charts out of git, because they can be made again',
  conceptName: 'drawn charts',
}

/** `keep`: what a model thinks of it. */
function judges(keep: boolean): (request: ModelRequest) => Turn {
  return ({ text }) => {
    if (text.includes('Judge these candidates')) {
      const candidate = /^(r\d{3}) \(/m.exec(text)?.[1] ?? 'r000'
      return extracts({ verdicts: [{ candidate, keep, why: 'It is how the project works.' }] })
    }
    const conceptId = /(c\d{3}) concept: drawn charts/.exec(text)?.[1]
    const named = conceptId === undefined ? habit : { ...habit, conceptName: undefined, conceptId }
    return extracts({ note: 'Claude told what it does with the drawn charts.', facts: [named] })
  }
}

/** Claude says it, in three sessions; the user never does. */
async function letClaudeRepeat(world: World, keep: boolean): Promise<void> {
  world.model.onChild(judges(keep))
  for (let i = 0; i < 3; i++) await live(world, ['Where do the drawn charts go?', ...SMALL_TALK], [says(HABIT)])
}

const storyAfterIt = storiesAfter((world) => letClaudeRepeat(world, true))

storyAfterIt(
  'a rule that only Claude said is not injected until the user, asked once, says yes',
  auto,
  async (world) => {
    world.model.onChild(judges(true))
    expect(permanent(world)).toMatchObject([{ id: 'r001', state: 'proposed' }])
    expect(callsOf(world).filter(({ kind }) => kind === 'reflection')).toHaveLength(1)
    expect(await nextBriefing(world)).not.toMatch(/r001/)

    world.model.script([says('Hello.'), says('Hello again.')])
    const first = await world.terminal()
    const asked = unwrapped(first.screen())
    expect(asked).toMatch(
      /says: Memory Keeper: .* · 1 rule to accept: [^?]*drawn charts[^?]*\? To answer, type: \/memory-keeper:run rules accept r001/,
    )
    expect(asked).toContain('(or /memory-keeper:run reject r001)')
    await first.say('hello')
    await first.exit()
    const second = await world.terminal()
    expect(unwrapped(second.screen())).not.toContain('r001')
    await ask(world, second, 'run', 'rules accept r001')
    await second.exit()
    expect(permanent(world)).toMatchObject([{ id: 'r001', state: 'active', judged: { by: 'user' } }])
    expect(await nextBriefing(world)).toMatch(/^- r001 .*drawn charts/m)
  },
)

storyAfterIt(
  'a rule that the user declined is never asked about again, however often Claude says it',
  auto,
  async (world) => {
    world.model.onChild(judges(true))
    expect(keeper(world, ['rules', 'decline', 'r001']).exitCode).toBe(0)
    await live(world, ['And where do the drawn charts go now?', ...SMALL_TALK], [says(HABIT)])

    expect(permanent(world)).toMatchObject([{ id: 'r001', state: 'declined', judged: { by: 'user' } }])
    expect(await nextBriefing(world)).not.toMatch(/r00\d/)
    const terminal = await world.terminal()
    expect(unwrapped(terminal.screen())).not.toMatch(/rules accept/)
    await terminal.exit()
  },
)

story('nobody is asked about a habit that a model judged to be of the moment', auto, async (world) => {
  await letClaudeRepeat(world, false)

  expect(permanent(world)).toMatchObject([{ id: 'r001', state: 'declined', judged: { by: 'headless' } }])
  const terminal = await world.terminal()
  expect(unwrapped(terminal.screen())).not.toMatch(/rules accept/)
  await terminal.exit()
  expect(await nextBriefing(world)).not.toMatch(/r00\d/)
})

function unwrapped(screen: string): string {
  return screen.replace(/\s+/g, ' ')
}
