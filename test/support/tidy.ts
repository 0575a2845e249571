/** Behind every test and every test file. Here, since test files share a process: a hook in a shared module counts for the file that loads it first. */
import { afterAll, afterEach } from 'vitest'
import { useExtras } from '../../src/core/extra.ts'
import { EXTRAS } from '../../src/doors/bin/extras.ts'
import { tidyUp } from './tidying.ts'

useExtras(EXTRAS)
afterEach(() => tidyUp('each test'))
afterAll(() => tidyUp('each file'))
