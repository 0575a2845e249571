/** What every view may need to know of the project. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Overview } from '../dashboard/api.ts'

export const OverviewContext = createContext<Overview | null>(null)

/** Buttons that change something are shown only where something can be changed. */
export function useMayChange(): boolean {
  const overview = useContext(OverviewContext)
  return overview !== null && !overview.isReadOnly
}
