/** Determines who writes the next note, from the settings and the circumstances on disk. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { disk, readOwnText } from '../../platform/disk/files.ts'
import { parseObject, textOr } from '../../platform/json.ts'
import { NOTICES_FILE } from '../../platform/layout.ts'
import { isPaused, type Way, wayOf } from '../way.ts'
import { readHealth } from './model-calls.ts'

export function wayIn(store: Store, now: string): Way {
  const { keeperDir } = store.places
  return wayOf({
    summarizer: store.config.summarizer,
    enforcement: store.config.enforcement,
    isModelNoticed: modelNoticedAt(keeperDir) !== null,
    pausedUntil: readHealth(keeperDir).pausedUntil,
    now,
  })
}

/** Whether a background call may audit a model's text, also if Claude itself writes the notes. */
export function mayAudit(store: Store, now: string): boolean {
  const { keeperDir } = store.places
  const { summarizer } = store.config
  return (
    summarizer !== 'extractive' &&
    modelNoticedAt(keeperDir) !== null &&
    !isPaused(readHealth(keeperDir).pausedUntil, now)
  )
}

/** When the user was informed of background calls, in any project; null: not yet. */
export function modelNoticedAt(keeperDir: string): string | null {
  return textOr(parseObject(readOwnText(path.join(keeperDir, NOTICES_FILE)) ?? '')?.model, null)
}

export function noteModelNoticed(keeperDir: string, at: string): void {
  disk.replace(path.join(keeperDir, NOTICES_FILE), `${JSON.stringify({ version: 1, model: at })}\n`)
}
