/** The part of the hook program that only the start of a session needs. */
import { startSession } from '../hooks/start.ts'
import type { Starter } from '../hooks/world.ts'

export const starter: Starter = { start: startSession }
