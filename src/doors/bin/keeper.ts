/**
 * Starts the finisher (`end`, `note`, `catch-up`) from the code that V8 compiled before, unless nothing waits for it; or updates the
 * search index for the server (`index`): the memory that a long build takes is freed with the process.
 */
import path from 'node:path'
import { readPrepared } from '../../core/briefing/disk/briefing-kept.ts'
import { growBy, leaveGarbage, optimise } from '../../kernel/platform/disk/compiled.ts'
import { readOwnText, unlessFails } from '../../kernel/platform/disk/files.ts'
import { findSurroundings, locate, type Places } from '../../kernel/platform/disk/locate.ts'
import { STATE_FILE } from '../../kernel/platform/layout.ts'
import { type Job, nextJobs, takeJobs } from '../../kernel/sessions/disk/finisher-queue.ts'
import type { KeeperMain } from './keeper-main.ts'
import { ourPrograms } from './launch.ts'

const [what, root, session] = process.argv.slice(2)
const around = findSurroundings(process.env, process.platform)

if (around !== null && root !== undefined && process.env.MEMORY_KEEPER_CHILD !== '1') {
  const programs = ourPrograms()
  const keeper = (): KeeperMain => programs.load('keeper-main.cjs') as KeeperMain
  if (what === 'index') keeper().updateIndex(root, around)
  else if (!isDone(jobOf(), locate(root, around))) {
    // The end of a session uses code that a note does not.
    programs.doing(`finish-${jobOf().for}`)
    const { finish } = keeper()
    optimise('no-opt')
    growBy(1)
    void finish(root, jobOf(), around, () => {
      optimise('opt')
      growBy(2)
      leaveGarbage(0)
      programs.keep()
    })
  }
}

function jobOf(): Job {
  if (what === 'end' && session !== undefined) return { for: 'end', session }
  return what === 'note' ? { for: 'note' } : { for: 'catch-up' }
}

/**
 * Whether nothing is left to do: another finisher is at work, or the last one prepared the next start, everything looks as it did
 * then, and the sessions that ended are none of which the memory knows.
 */
function isDone(own: Job, places: Places): boolean {
  return unlessFails(() => {
    const prepared = readPrepared(places, path.dirname(__filename))
    if (prepared === null) return false
    const state = readOwnText(path.join(prepared.dir, STATE_FILE)) ?? ''
    const isIdle = (job: Job): boolean => job.for === 'catch-up' || (job.for === 'end' && !state.includes(job.session))
    const jobs = takeJobs(places, own)
    return jobs === null || (jobs.every(isIdle) && nextJobs(places) === null)
  }, false)
}
