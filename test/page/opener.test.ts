/** The file that leads a browser to the page: the token stands in it, and in no address afterwards. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plainPage } from '../../src/dashboard/page.ts'
import { makeProject, tempDir } from '../support/project.ts'
import { CHROMIUM, launch, serve } from './support/open.ts'

describe.skipIf(CHROMIUM === undefined)('the file that opens the page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  it('leads to the page, with the cookie and without the token', async () => {
    const dashboard = await serve(makeProject())
    const file = path.join(tempDir(), 'dashboard.html')
    fs.writeFileSync(file, plainPage('Memory Keeper', 'One moment …', dashboard.url))
    const page = await (await browser.newContext()).newPage()
    await page.goto(pathToFileURL(file).href)

    await expect.poll(() => page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/(?:#.*)?$/)
    await page.locator('nav').first().waitFor({ state: 'attached' })
    const other = await (await browser.newContext()).newPage()
    expect((await other.goto(dashboard.url))?.status()).toBe(401)
    dashboard.close()
  })
})
