/** The view of charts: what happened per day, with which tools, in which files, and how memory grew. */
import { daysOf, filesOf, toolsOf } from '../core/series.ts'
import { memoryGrowth } from '../store/numbers.ts'
import { sessionRows } from '../store/session-rows.ts'
import type { ChartsView } from './api.ts'
import type { Memory } from './memory.ts'

export async function viewCharts(memory: Memory): Promise<ChartsView> {
  const store = await memory.counted()
  const rows = sessionRows(store)
  return {
    days: daysOf(rows),
    ...toolsOf(rows),
    files: filesOf(rows, store.places.project.root),
    memory: memoryGrowth(store),
  }
}
