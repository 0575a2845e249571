/** The page for everybody: by keyboard, by screen reader, light and dark, on a narrow screen. */
import fs from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Dashboard } from '../../../../src/extras/page/server/server.ts'
import { makeProject } from '../../../support/project.ts'
import { CHROMIUM, launch, serve, settled, type Visit, visit } from './support/open.ts'
import { liveThrough, sampleId } from './support/sample.ts'
import { SESSIONS } from './support/sessions.ts'

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const OPEN = sampleId(8).slice(0, 8)
const PLACES =
  `/overview /timeline /timeline/${OPEN} /memory /memory?part=archives /memory?part=tiers /memory?part=pages
  /knowledge /knowledge?fact=d001 /knowledge?part=rules /knowledge?part=concepts /search /search?q=mail&type=prompt
  /search/${encodeURIComponent(`L1:${OPEN}#0`)}?q=mail /injected /injected/${OPEN} /health`.split(/\s+/)

describe.skipIf(CHROMIUM === undefined)('the page is for everybody', () => {
  let dashboard: Dashboard
  let browser: Browser

  beforeAll(async () => {
    dashboard = await serve(
      await liveThrough(SESSIONS.slice(-8), { rotationThresholdTokens: 1000, carryoverTokens: 200 }),
    )
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    dashboard?.close()
  })

  for (const scheme of ['light', 'dark'] as const) {
    it(`has no finding of axe in any view, ${scheme}`, async () => {
      const { page, context, go } = await visit(browser, dashboard, { scheme })
      const found: string[] = []
      for (const place of PLACES) {
        await go(place)
        found.push(...(await axe(page)).map((line) => `${place}: ${line}`))
      }
      await page.keyboard.press('?')
      found.push(...(await axe(page)).map((line) => `keys: ${line}`))

      expect(found).toEqual([])
      await context.close()
    })
  }

  it('has no finding of axe in a question and on a narrow screen', async () => {
    const { page, context, go } = await visit(browser, dashboard, { width: 400 })
    const found: string[] = []
    for (const place of PLACES.filter((one) => !one.includes('part='))) {
      await go(place)
      found.push(...(await axe(page)).map((line) => `${place}: ${line}`))
    }
    await go('/knowledge?fact=d001')
    await page.getByRole('button', { name: 'Forget…' }).click()
    await page.locator('dialog .preview li').first().waitFor()
    found.push(...(await axe(page)).map((line) => `forget: ${line}`))

    expect(found).toEqual([])
    await context.close()
  })

  it('fits 400 pixels without scrolling sideways', async () => {
    const { page, context, go } = await visit(browser, dashboard, { width: 400, height: 780 })
    const wide: string[] = []
    for (const place of [...PLACES, '/timeline?charts=1']) {
      await go(place)
      const overflow = await page.evaluate(() => {
        const root = document.documentElement
        const panes = [...document.querySelectorAll('.detail-pane, .scroll-pane, .list-pane')]
        return Math.max(root.scrollWidth - root.clientWidth, ...panes.map((one) => one.scrollWidth - one.clientWidth))
      })
      if (overflow > 0) wide.push(`${place}: ${overflow}`)
      const current = await page.locator('.views [aria-current]').boundingBox()
      if ((current?.x ?? -1) < 0 || (current?.x ?? 0) + (current?.width ?? 0) > 401) wide.push(`${place}: its name`)
    }

    expect(wide).toEqual([])
    await context.close()
  })

  it('can be used by keyboard alone', async () => {
    const { page, context } = await visit(browser, dashboard)
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')

    await page.keyboard.press('2')
    await settled(page)
    const first = page.locator('.window-rows .row').first()
    await first.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate(() => document.activeElement?.closest('li')?.dataset.index)).toBe('2')
    expect(await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)).toBe('solid')
    await page.keyboard.press('Enter')
    await settled(page)
    await expect.poll(() => page.url()).toContain(`#/timeline/${sampleId(6).slice(0, 8)}`)
    await page.keyboard.press('End')
    await page.keyboard.press('4')
    await settled(page)
    await expect.poll(() => page.url()).toContain('#/knowledge')
    await page.locator('.fact-head').first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.fact-head[aria-expanded=true]').count()).toBe(1)
    await page.keyboard.press('/')
    await page.keyboard.type('mail')
    await page.locator('.hit').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await settled(page)
    await expect.poll(() => page.url()).toMatch(/#\/search\/.+\?q=mail/)
    await page.keyboard.press('?')
    // Opened as a dialog right after it is there: Escape closes only what is open.
    expect(await page.locator('dialog[open]').innerText()).toContain('walk through a list')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('dialog').count()).toBe(0)
    await context.close()
  })

  it('keeps light or dark as it is chosen', async () => {
    const { page, context } = await visit(browser, dashboard)
    const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await paper()
    await page.getByLabel('dark').check()
    const dark = await paper()
    await page.reload()
    await settled(page)

    expect(dark).not.toBe(light)
    expect(await paper()).toBe(dark)
    await context.close()
  })

  it('says in an empty memory what will appear, and when', async () => {
    const empty = await serve(makeProject())
    const { page, context, go, complaints } = await visit(browser, empty)
    for (const [place, said] of [
      ['/overview', 'No session yet'],
      ['/timeline', 'No session yet'],
      ['/memory', 'No note yet'],
      ['/memory?part=archives', 'No archive yet'],
      ['/knowledge', 'No fact yet'],
      ['/knowledge?part=rules', 'No learned rule yet'],
      ['/injected', 'Nothing was injected yet'],
    ] as const) {
      await go(place)
      expect(await page.locator('.empty').first().innerText()).toContain(said)
    }
    await go('/health')

    expect(complaints).toEqual([])
    await context.close()
    empty.close()
  })
})

interface Finding {
  id: string
  nodes: { html: string; failureSummary?: string }[]
}

async function axe(page: Visit['page']): Promise<string[]> {
  // Through the debugger, not as a script of the page: its policy stays as strict as it is.
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: AXE })
  const { result } = await session.send('Runtime.evaluate', {
    expression:
      'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(violations))',
    awaitPromise: true,
  })
  await session.detach()
  const findings = JSON.parse(String(result.value)) as Finding[]
  return findings.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} (${failureSummary?.slice(0, 200)})`).join(' | ')}`,
  )
}
