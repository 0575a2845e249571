/** How long the server lives, and what it says when it cannot. */
import http from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, open, PAGE, send, TOKEN } from '../../../support/dashboard.ts'
import { makeProject } from '../../../support/project.ts'

// The idle time only: node's own times are not affected.
const withoutWaiting = (): unknown => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
afterEach(() => vi.useRealTimers())

describe('the server', () => {
  it('serves the page as it was built', async () => {
    const answered = await ask(await open(), '/')

    expect(answered.status).toBe(200)
    expect(answered.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answered.text).toBe(PAGE)
  })

  it('ends when nobody has asked for so long, and not before', async () => {
    withoutWaiting()
    const dashboard = await open(makeProject(), { idleMs: 1500 })
    for (let i = 0; i < 4; i++) {
      vi.advanceTimersByTime(1499)
      expect((await ask(dashboard, '/api/overview')).status).toBe(200)
    }
    vi.advanceTimersByTime(1500)

    expect(await dashboard.ended).toBe('idle')
    await expect(ask(dashboard, '/api/overview')).rejects.toThrow()
  })

  it('is not kept alive by strangers', async () => {
    withoutWaiting()
    const dashboard = await open(makeProject(), { idleMs: 400 })
    vi.advanceTimersByTime(300)
    const headers = { host: `127.0.0.1:${dashboard.port}` }
    expect((await send(dashboard.port, '/api/overview', { headers })).status).toBe(401)
    vi.advanceTimersByTime(100)

    expect(await dashboard.ended).toBe('idle')
  })

  it('ends at once when it is closed, also for who is connected', async () => {
    const dashboard = await open()
    const agent = new http.Agent({ keepAlive: true })
    await new Promise((resolve) =>
      http.get({ port: dashboard.port, agent }, (response) => response.resume().once('end', resolve)),
    )
    dashboard.close()

    expect(await dashboard.ended).toBe('closed')
    agent.destroy()
  })

  it('says which port is taken, and what to do', async () => {
    const { port } = await open()

    await expect(open(makeProject(), { port })).rejects.toMatchObject({
      code: 'port-taken',
      message: expect.stringContaining('--port'),
    })
  })

  it('takes another port where its own is taken and any will do, and there no cookie of an earlier start', async () => {
    const { port } = await open()
    const other = await open(makeProject(), { port, orAny: true })

    expect(other.port).not.toBe(port)
    expect(other.takenPort).toBe(port)
    expect((await ask(other, '/')).status).toBe(401)
    const host = `127.0.0.1:${other.port}`
    const entered = await send(other.port, `/?token=${TOKEN}`, { headers: { host } })
    const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    expect((await send(other.port, '/', { headers: { host, cookie } })).status).toBe(200)
  })

  it('says that the page is missing before anybody waits for it', async () => {
    await expect(open(makeProject(), { page: '' })).rejects.toMatchObject({ code: 'no-page' })
  })

  it('takes the page with the line ends of another system', async () => {
    const dashboard = await open(makeProject(), { page: PAGE.replace('<body>', '<body>\r\n') })
    const plain = await open(makeProject(), { page: PAGE.replace('<body>', '<body>\n') })

    expect((await ask(dashboard, '/')).text).toBe((await ask(plain, '/')).text)
  })
})
