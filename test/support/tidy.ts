/** Where test files share a process: the hooks of shared modules count for the file that loads them first, so each file has them here. */
import { afterAll, afterEach } from 'vitest'
import { closeDashboards } from './dashboard.ts'
import { removeTempDirs } from './project.ts'

afterEach(closeDashboards)
afterAll(removeTempDirs)
