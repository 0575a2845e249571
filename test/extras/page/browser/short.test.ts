/** The page in short, for every run of the tests; `npm run test:page` tells the whole of it. */
import { describe, expect, it } from 'vitest'
import { remember } from '../../../support/remembered.ts'
import { CHROMIUM, launch, serve, visit } from './support/open.ts'

if (CHROMIUM === undefined) {
  console.log('No Chromium here: the page is not looked at. npm run test:page installs it, or name yours in CHROMIUM.')
}

describe.skipIf(CHROMIUM === undefined)('the page in short', () => {
  it('shows a session in a real browser, and asks nobody else', async () => {
    const project = remember({
      sessions: { abcd1234: { day: '2026-11-10', entries: [{ role: 'user', ts: '', text: 'Make it <b>fast</b>.' }] } },
    })
    const dashboard = await serve(project)
    const browser = await launch()
    try {
      const { page, requests, complaints, go } = await visit(browser, dashboard)
      expect(await page.locator('.stands a').innerText()).toBe('Make it <b>fast</b>.')
      await go('/timeline/abcd1234')
      expect(await page.locator('.entry.is-user').innerText()).toContain('Make it <b>fast</b>.')
      expect(requests.filter((url) => !/^(?:http:\/\/127\.0\.0\.1:\d+\/|data:image\/svg)/.test(url))).toEqual([])
      expect(complaints).toEqual([])
    } finally {
      await browser.close()
      dashboard.close()
    }
  })
})
