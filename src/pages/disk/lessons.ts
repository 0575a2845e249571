/** The page `lessons`: what went wrong and what to do instead, one list item each. People edit it by hand. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { KeeperError } from '../../platform/error.ts'
import { PAGE_SUFFIX } from '../../platform/layout.ts'
import { LESSONS_PAGE } from '../lesson.ts'
import { MAX_PAGE_BYTES } from '../page.ts'
import { pageFile, readPage } from './pages.ts'

/** Null: there is no such page. */
export function readLessonsPage(store: Store): string | null {
  return readPage(store, LESSONS_PAGE)?.text ?? null
}

/** Its file name, in the case it has there. */
export function lessonsFile(store: Store): string {
  return pageFile(store, LESSONS_PAGE) ?? `${LESSONS_PAGE}${PAGE_SUFFIX}`
}

/** Only the beginning of a longer page is read: writing it again would lose the end. */
export function checkWholePage(store: Store): void {
  const bytes = readPage(store, LESSONS_PAGE)?.bytes ?? 0
  if (bytes <= MAX_PAGE_BYTES) return
  throw new KeeperError(
    'too-large',
    `${path.join(store.dir, lessonsFile(store))} has ${bytes} bytes; a page has at most ${MAX_PAGE_BYTES}. Shorten it in an editor, or split it into several pages.`,
  )
}
