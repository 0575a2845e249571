/** A story: a test in a world of its own, which tells what the model was asked and what was on the screen when it fails. */
import { it } from 'vitest'
import { createWorld, type World, type WorldOptions } from './world.ts'

export function story(name: string, options: WorldOptions, tell: (world: World) => Promise<void>): void {
  it(name, async () => {
    const world = await createWorld(options)
    try {
      await tell(world)
    } catch (error) {
      console.error(`${name}\n${world.describe()}`)
      throw error
    } finally {
      await world.end()
    }
  })
}
