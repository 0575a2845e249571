/** Behind every test and every test file. Here, since test files share a process: a hook in a shared module counts for the file that loads it first. */
import { afterAll, afterEach } from 'vitest'
import { useExtraFiles } from '../../src/doors/bin/file-kinds.ts'
import { closeDashboards } from './dashboard.ts'
import { removeTempDirs } from './project.ts'

useExtraFiles()
afterEach(closeDashboards)
afterAll(removeTempDirs)
