/** What the commands of the page need from the program. */
import type { Store } from '../../kernel/memory/disk/store.ts'
import type { Surroundings } from '../../kernel/platform/disk/locate.ts'
import type { Dashboard, DashboardOptions } from './server/server.ts'

/** The command that checks the health of a project, and prints it for the page. */
export const HEALTH_COMMAND = 'page-health'

/** What the program adds: secrets, signals, the browser. */
export interface Door {
  open(
    options: Pick<DashboardOptions, 'port' | 'orAny' | 'idleMs' | 'now' | 'version' | 'isInside'> & {
      root: string
      around: Surroundings
      /** The other projects of this machine; absent: they are not shown. */
      others?: () => Store[]
    },
  ): Promise<
    Dashboard & {
      /** Opens an address in the user's browser. False: there is no browser. */
      openPage(): Promise<boolean>
    }
  >
  onInterrupt(end: () => void): void
  /** The address of a project's page. If no page runs, starts one in a process of its own. Null: it did not start. */
  start(root: string, around: Surroundings): Promise<string | null>
}
