/** The lessons of a memory, as their page has them. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { pageFile, readPage } from '../../pages/disk/pages.ts'
import { MAX_PAGE_BYTES } from '../../pages/page.ts'
import { KeeperError } from '../../platform/error.ts'
import { PAGE_SUFFIX } from '../../platform/layout.ts'
import { LESSONS_PAGE, parseLessons } from '../lesson.ts'

export function readLessons(store: Store): string[] {
  return parseLessons(readLessonsPage(store) ?? '')
}

/** Null: there is none. */
export function readLessonsPage(store: Store): string | null {
  return readPage(store, LESSONS_PAGE)?.text ?? null
}

/** Its name, as it is spelled there. */
export function lessonsFile(store: Store): string {
  return pageFile(store, LESSONS_PAGE) ?? `${LESSONS_PAGE}${PAGE_SUFFIX}`
}

/** A page of which only the beginning is read must not be written again: its end would be lost. */
export function checkWholePage(store: Store): void {
  const bytes = readPage(store, LESSONS_PAGE)?.bytes ?? 0
  if (bytes <= MAX_PAGE_BYTES) return
  throw new KeeperError(
    'too-large',
    `${path.join(store.dir, lessonsFile(store))} has ${bytes} bytes; a page has at most ${MAX_PAGE_BYTES}. Shorten it in an editor, or split it into several pages.`,
  )
}
