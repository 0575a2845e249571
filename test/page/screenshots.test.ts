/** The pictures of the README, taken from the sample project: `npm run test:page -- --screenshots`. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Dashboard } from '../../src/dashboard/server.ts'
import { ROOT } from '../support/process.ts'
import { makeProject } from '../support/project.ts'
import { launch, serve, settled, visit } from './support/open.ts'
import { liveThrough, sampleId } from './support/sample.ts'
import { SESSIONS } from './support/sessions.ts'

const MOST_BYTES = 250_000

interface Picture {
  name: string
  place: string
  scheme?: 'light' | 'dark'
  width?: number
  height?: number
  before?: (page: Page) => Promise<void>
}

const newest = sampleId(SESSIONS.length).slice(0, 8)

const withAgent = SESSIONS.findLastIndex(({ agent }) => agent !== undefined)

const PICTURES: readonly Picture[] = [
  { name: 'page-timeline', place: '/timeline' },
  { name: 'page-session-dark', place: `/timeline/${sampleId(withAgent + 1).slice(0, 8)}`, scheme: 'dark' },
  {
    name: 'page-knowledge',
    place: '/knowledge',
    before: async (page) => page.locator('.fact-head', { hasText: 'materialised view' }).click(),
  },
  {
    name: 'page-search',
    place: '/search?q=two+workers+same+order',
    before: async (page) => page.locator('.hit').nth(1).click(),
  },
  { name: 'page-injected', place: `/injected/${newest}` },
  { name: 'page-health', place: '/health', height: 900 },
  { name: 'page-narrow', place: '/timeline?charts=1', width: 400, height: 800 },
]

describe.skipIf(process.env.MEMORY_KEEPER_SCREENSHOTS !== '1')('the pictures', () => {
  let dashboard: Dashboard
  let browser: Browser
  let base = ''

  beforeAll(async () => {
    const project = makeProject('orchard', fs.mkdtempSync(path.join(os.tmpdir(), 'work-')))
    base = project.base
    const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string }
    dashboard = await serve(await liveThrough(SESSIONS, {}, project), undefined, version)
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    dashboard?.close()
    fs.rmSync(base, { recursive: true, force: true })
  })

  for (const { name, place, scheme = 'light', width = 1280, height = 800, before } of PICTURES) {
    it(`${name} is taken and not too large`, async () => {
      const { page, context, go } = await visit(browser, dashboard, { width, height, scheme })
      await go(place)
      await before?.(page)
      await settled(page)
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      await page.mouse.move(width - 2, height - 2)
      const file = path.join(ROOT, 'docs', 'images', `${name}.png`)
      await page.screenshot({ path: file })

      expect(fs.statSync(file).size).toBeLessThan(MOST_BYTES)
      await context.close()
    })
  }
})
