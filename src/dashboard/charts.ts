/** The view of charts: what happened per day, with which tools, in which files, and how memory grew. */

import { memoryGrowth } from '../health/disk/numbers.ts'
import { daysOf, seriesFiles, toolsOf } from '../health/series.ts'
import { dayIn } from '../platform/time.ts'
import { sessionRows } from '../sessions/disk/session-rows.ts'
import { daysIn } from '../sessions/session-row.ts'
import type { ChartsView } from './api.ts'
import { type Memory, zoneOf } from './memory.ts'

export async function viewCharts(memory: Memory): Promise<ChartsView> {
  const store = await memory.counted()
  // As the page speaks of them: in the zone of whoever looks.
  const dayOf = dayIn(zoneOf(store, memory.timezone))
  const rows = sessionRows(store).map((row) => ({ ...row, days: daysIn(row, dayOf) }))
  return {
    days: daysOf(rows),
    ...toolsOf(rows),
    files: seriesFiles(rows, store.places.project.root),
    memory: memoryGrowth(store),
  }
}
