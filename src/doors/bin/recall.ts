/** The part of the hook program that searches the memory: for a person's prompt, a failed command, the task of an agent. */
import { recallForEvent } from '../hooks/recall.ts'
import type { Recaller } from '../hooks/world.ts'

export const recaller: Recaller = { recall: recallForEvent }
