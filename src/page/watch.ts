/** Looks for news while somebody is at the page: a session that goes on grows before one's eyes, a server that ended is noticed. */
import { useEffect, useRef } from 'preact/hooks'
import type { Overview } from '../dashboard/api.ts'
import { ask, askAgain, server } from './ask.ts'

const EVERY_MS = 15_000
/** A window that comes back tells it twice. */
const BACK_MS = 2_000
/** A tab that is only left open must not keep the server from ending by itself. */
const AT_WORK_MS = 5 * 60_000

export function useWatch(overview: Overview | null): void {
  const known = useRef(overview)
  known.current = overview
  useEffect(() => {
    let lastTouch = Date.now()
    let lastBack = Date.now()
    const touch = (): void => {
      lastTouch = Date.now()
    }
    const look = async (): Promise<void> => {
      if (document.visibilityState !== 'visible' || Date.now() - lastTouch > AT_WORK_MS) return
      const wasGone = server.get() !== 'there'
      const answer = await ask<Overview>('overview')
      if (answer.is === 'here' && (wasGone || hasNews(known.current, answer.value))) askAgain()
    }
    const timer = setInterval(() => void look(), EVERY_MS)
    // Whoever comes back from a terminal may have changed something there: all that is shown is asked for again.
    const back = (): void => {
      if (document.visibilityState !== 'visible' || Date.now() - lastBack < BACK_MS) return
      lastBack = Date.now()
      touch()
      askAgain()
    }
    for (const event of ['pointerdown', 'keydown', 'wheel'] as const) addEventListener(event, touch, { passive: true })
    document.addEventListener('visibilitychange', back)
    addEventListener('focus', back)
    return () => {
      clearInterval(timer)
      for (const event of ['pointerdown', 'keydown', 'wheel'] as const) removeEventListener(event, touch)
      document.removeEventListener('visibilitychange', back)
      removeEventListener('focus', back)
    }
  }, [])
}

function hasNews(before: Overview | null, after: Overview): boolean {
  return before === null || JSON.stringify(before) !== JSON.stringify(after)
}
