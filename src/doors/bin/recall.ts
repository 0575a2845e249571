/** The part of the hook program that only a person's prompt needs: it searches the memory. */
import { recallWithPrompt } from '../hooks/recall.ts'
import type { Recaller } from '../hooks/world.ts'

export const recaller: Recaller = { recall: recallWithPrompt }
