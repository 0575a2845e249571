/** A story: a test in a world of its own, which tells what the model was asked and what was on the screen when it fails. */
import { afterAll, it } from 'vitest'
import type { WorldCopy } from './place.ts'
import type { ModelRequest } from './request.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

export function story(name: string, options: WorldOptions, tell: (world: World) => Promise<void>): void {
  it.skipIf(isLeftOut(options))(name, async () => {
    await tellIn(await createWorld(options), name, tell)
  })
}

/** A story that begins after something; it is given what came of that. */
export type StoryAfter<T> = (
  name: string,
  options: WorldOptions,
  tell: (world: World, past: T) => Promise<void>,
) => void

/** What was lived through, and what the model was asked meanwhile. */
interface Lived<T> {
  past: T
  copy: WorldCopy
  requests: readonly ModelRequest[]
}

/**
 * Stories that have their beginning in common. With each kind of world the first of them lives through it with the real host;
 * the others begin in a copy of that world, in the same place, with all that the model has been asked.
 * What `live` does must be over when it returns: no process is copied, and no script of the model.
 */
export function storiesAfter<T>(live: (world: World) => Promise<T>): StoryAfter<T> {
  const known = new Map<string, Lived<T>>()
  afterAll(() => {
    for (const { copy } of known.values()) copy.remove()
  })
  return (name, options, tell) => {
    it.skipIf(isLeftOut(options))(name, async () => {
      const { onlyWithAll: _, isSpotCheck: __, ...kindOfWorld } = options
      const kind = JSON.stringify(kindOfWorld)
      const lived = known.get(kind)
      const world = await createWorld(options, lived?.copy)
      await tellIn(world, name, async () => {
        if (lived !== undefined) {
          world.requests.push(...lived.requests)
          return tell(world, lived.past)
        }
        const past = await live(world)
        // A world that is kept for the reader stays where it is: nothing else may take its place.
        if (process.env.KEEP_WORLD !== '1') known.set(kind, { past, copy: world.copy(), requests: [...world.requests] })
        return tell(world, past)
      })
    })
  }
}

/** On the older host only spot checks are told, unless `--all` is given. */
function isLeftOut({ host, isSpotCheck, onlyWithAll }: WorldOptions): boolean {
  const isRare = onlyWithAll !== undefined || (host === 'older' && isSpotCheck !== true)
  return isRare && process.env.MEMORY_KEEPER_ALL_STORIES !== '1'
}

async function tellIn(world: World, name: string, tell: (world: World) => Promise<void>): Promise<void> {
  try {
    await tell(world)
  } catch (error) {
    console.error(`${name}\n${world.describe()}`)
    throw error
  } finally {
    await world.end()
  }
}
