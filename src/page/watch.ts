/** Looks every few seconds whether the memory has changed, as long as somebody looks at the page; then everything shown is asked for again. */
import { useEffect, useRef } from 'preact/hooks'
import type { Overview, Pulse } from '../dashboard/api.ts'
import { ask, askAgain, server } from './ask.ts'

/** A running session is seen to grow; asking costs the server a few looks at files. */
const EVERY_MS = 3_000
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
      const answer = await ask<Pulse>('pulse')
      if (answer.is !== 'here') return
      const isNews = answer.value.mark !== known.current?.mark
      // While something happens, somebody may watch it without touching anything.
      if (isNews) touch()
      if (isNews || wasGone) askAgain()
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
