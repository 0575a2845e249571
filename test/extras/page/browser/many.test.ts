/** Ten thousand sessions: the list has its true length, any place of it is reached at once, and scrolling stays smooth. */
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { sessionFile } from '../../../../src/kernel/platform/layout.ts'
import { formatEntry } from '../../../../src/kernel/transcript/session.ts'
import { fastDir, makeProject, storeOf, type TestProject, write } from '../../../support/project.ts'
import { CHROMIUM, serve, settled, watch } from './support/open.ts'

const SESSIONS = 10_000
const ROW = 74
const FIRST = Date.parse('2024-01-01T08:00:00.000Z')
/** Four a day. */
const EVERY_MS = 6 * 3_600_000

describe.skipIf(CHROMIUM === undefined)('ten thousand sessions', () => {
  const on = watch(async () => {
    return serve(many(), () => '2031-01-01T00:00:00.000Z')
  })

  it('make a list as long as they are, of which only what is seen is drawn', async () => {
    const { page, go } = on.seen
    await go('/timeline')
    const height = await page.locator('.window-rows').evaluate((list) => list.getBoundingClientRect().height)

    expect(height).toBe(SESSIONS * ROW)
    expect(await page.locator('.pane-head').innerText()).toContain('10,000 sessions')
    await expect.poll(() => page.locator('.window-rows li').count()).toBeLessThan(50)
    expect(await page.locator('.row-title').first().innerText()).toBe(goal(SESSIONS - 1))
  })

  it('are there wherever one scrolls to', async () => {
    const { page } = on.seen
    for (const index of [4_321, 9_990, 17, 7_777]) {
      await page.locator('.window').evaluate((box, top) => box.scrollTo(0, top), index * ROW)
      await page.locator(`[data-index="${index}"] .row-title`).waitFor()
      expect(await page.locator(`[data-index="${index}"] .row-title`).innerText()).toBe(goal(SESSIONS - 1 - index))
    }
  })

  it('are reached by day, and by keyboard to the very end', async () => {
    const { page } = on.seen
    await page.locator('.jump input').fill('2026-05-05')
    await settled(page)
    expect(await page.locator('.day-head').innerText()).toContain('Tuesday 5 May 2026')

    await page.locator('.window-rows a[tabindex="0"]').focus()
    await page.keyboard.press('End')
    await page.locator(`[data-index="${SESSIONS - 1}"] .row-title`).waitFor()
    expect(await page.locator(`[data-index="${SESSIONS - 1}"] .row-title`).innerText()).toBe(goal(0))
  })

  it('scroll without long pauses', async () => {
    const { page } = on.seen
    const frames = await page.locator('.window').evaluate(async (box) => {
      const times: number[] = []
      box.scrollTo(0, 0)
      let last = performance.now()
      for (let i = 0; i < 90; i++) {
        box.scrollBy(0, 400)
        await new Promise(requestAnimationFrame)
        const now = performance.now()
        times.push(now - last)
        last = now
      }
      return times.sort((a, b) => a - b)
    })
    const at = (share: number): number => frames[Math.floor(frames.length * share)] ?? 0

    // Without a graphics card and beside other work; on a desktop it is a frame each.
    expect(at(0.5)).toBeLessThan(60)
    console.log(`frames while scrolling: p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms`)
  })
})

function goal(n: number): string {
  return `Change number ${n} of the catalogue`
}

function many(): TestProject {
  const project = makeProject('app', fastDir())
  storeOf(project).prepare()
  for (let n = 0; n < SESSIONS; n++) {
    const at = new Date(FIRST + n * EVERY_MS).toISOString()
    const text = [
      formatEntry({ role: 'user', ts: at, text: goal(n) }),
      formatEntry({ role: 'tool', ts: at, name: 'Edit', cmd: `/app/src/part${n % 40}.ts`, ok: true }),
    ].join('')
    write(path.join(project.memory, 'sessions', sessionFile(at, n.toString(16).padStart(8, '0'))), text)
  }
  return project
}
