/** The part of the hook program that only the start of a session needs. */
import { useExtras } from '../../core/extra.ts'
import { startSession } from '../hooks/start.ts'
import type { Starter } from '../hooks/world.ts'
import { EXTRAS_AT_START } from './extras-at-start.ts'

useExtras(EXTRAS_AT_START)

export const starter: Starter = { start: startSession }
