/** The pictures of the README, taken from the sample project: `npm run test:page -- --screenshots`. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Dashboard } from '../../../../src/extras/page/server/server.ts'
import { ROOT } from '../../../support/process.ts'
import { makeProject } from '../../../support/project.ts'
import { launch, serve, settled, visit } from './support/open.ts'
import { liveThrough, sampleId } from './support/sample.ts'
import { SESSIONS } from './support/sessions.ts'

const MOST_BYTES = 250_000

interface Picture {
  name: string
  place: string
  height?: number
  before?: (page: Page) => Promise<void>
}

const newest = sampleId(SESSIONS.length).slice(0, 8)

const PICTURES: readonly Picture[] = [
  {
    name: 'page-overview',
    place: '/overview',
    before: async (page) => page.locator('.tiles b.is-good, .tiles b.is-fair').waitFor(),
  },
  {
    name: 'page-knowledge',
    place: '/knowledge',
    before: async (page) => page.locator('.fact-head', { hasText: 'materialised view' }).click(),
  },
  {
    name: 'page-search',
    place: '/search?q=order',
    // The first search reads everything; the second one is as fast as any other.
    before: async (page) => {
      await page.locator('#search-words').fill('two workers same order')
      await page.locator('mark', { hasText: 'workers' }).first().waitFor()
      await settled(page)
      await page.locator('.hit').nth(1).click()
      await page.locator('.item .is-wanted').waitFor()
    },
  },
  { name: 'page-injected', place: `/injected/${newest}` },
  { name: 'page-health', place: '/health', height: 900 },
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

  for (const { name, place, height = 800, before } of PICTURES) {
    it(`${name} is taken and not too large`, async () => {
      const { page, context, go } = await visit(browser, dashboard, { height })
      await go(place)
      await before?.(page)
      await settled(page)
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      await page.mouse.move(1278, height - 2)
      const file = path.join(ROOT, 'docs', 'images', `${name}.png`)
      await page.screenshot({ path: file })

      expect(fs.statSync(file).size).toBeLessThan(MOST_BYTES)
      await context.close()
    })
  }
})
