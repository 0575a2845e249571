/** Page: the memory in a browser, served on this machine only. */
import type { Extra } from '../../core/extra.ts'
import { DASHBOARD_COMMANDS, startDashboard } from './commands/dashboard.ts'

export const page: Extra = {
  name: 'page',
  commands: DASHBOARD_COMMANDS,
  skills: { dashboard: (context) => startDashboard(context) },
}
