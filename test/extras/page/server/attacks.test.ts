/** The server as an attacker meets it: other pages in the browser, other programs on the machine, broken requests. */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dashboard } from '../../../../src/extras/page/server/server.ts'
import { ask, COOKIE, codeIn, open, post, send, sendRaw, TOKEN } from '../../../support/dashboard.ts'
import { decide } from '../../../support/decided.ts'
import { makeProject, storeOf, type TestProject, treeOf } from '../../../support/project.ts'

const EVERYTHING =
  `/ /api/overview /api/sessions /api/session/00000001 /api/memory /api/knowledge /api/search?q=invoices
  /api/item/d001 /api/injected /api/health /api/charts /api/today /api/pulse /api/projects`.split(/\s+/)

function remembering(): TestProject {
  const project = makeProject()
  decide(storeOf(project), project)
  return project
}

async function isAnswering(dashboard: Dashboard): Promise<boolean> {
  return (await ask(dashboard, '/api/overview')).status === 200
}

describe('a stranger', () => {
  const OTHER = 'https://attacker.example'

  // Which heads are refused is guard.test.ts's subject: here one of each kind, against everything there is to ask for.
  it.each<[string, number, (port: number) => Record<string, string>]>([
    ['without a cookie', 401, () => ({ cookie: '' })],
    ['with the token as the cookie', 401, (port) => ({ cookie: `memory-keeper-${port}=${TOKEN}` })],
    ['with the token as a password', 401, () => ({ cookie: '', authorization: `Bearer ${TOKEN}` })],
    ['by a name that was made lead here (DNS rebinding)', 403, (port) => ({ host: `attacker.example:${port}` })],
    ['as a page of another origin', 403, () => ({ origin: OTHER })],
    ['from another site', 403, () => ({ 'sec-fetch-site': 'cross-site' })],
  ])('%s gets nothing, whatever it asks for', async (_, status, headersFor) => {
    const dashboard = await open(remembering())
    const headers = headersFor(dashboard.port)

    for (const target of [...EVERYTHING, '/favicon.ico', '/api/', '/api', `/api/overview?token=${TOKEN}`]) {
      const answered = await ask(dashboard, target, { headers })
      expect([target, answered.status]).toEqual([target, status])
      expect(answered.text).not.toContain('PostgreSQL')
      expect(Object.keys(answered.headers).filter((name) => /^access-control|^set-cookie/.test(name))).toEqual([])
    }
    const asked = { ...headers, origin: OTHER, 'access-control-request-method': 'POST' }
    const preflight = await ask(dashboard, '/api/act', { method: 'OPTIONS', headers: asked })
    expect(preflight.status).toBe(403)
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('changes nothing by a form, a script without our header, or a GET', async () => {
    const project = remembering()
    const dashboard = await open(project)
    await ask(dashboard, '/api/overview')
    const before = treeOf(project.base)

    for (const [status, headers] of [
      [415, { 'content-type': 'text/plain' }],
      [415, { 'content-type': 'application/x-www-form-urlencoded' }],
      [403, { 'x-memory-keeper': '0' }],
      [403, { origin: OTHER }],
      [401, { cookie: '' }],
    ] as [number, Record<string, string>][])
      expect((await post(dashboard, { do: 'undo' }, headers)).status).toBe(status)
    expect((await ask(dashboard, '/api/act')).status).toBe(404)
    for (const method of ['PUT', 'DELETE', 'PATCH', 'HEAD'])
      expect((await ask(dashboard, '/api/session/00000001', { method })).status).toBe(405)
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('every answer', () => {
  it('forbids the browser whatever the page does not need', async () => {
    const dashboard = await open(remembering())
    const answers = await Promise.all([
      ...EVERYTHING.map((target) => ask(dashboard, target)),
      ask(dashboard, '/api/none'),
      ask(dashboard, '/', { headers: { cookie: '' } }),
      ask(dashboard, `/?token=${TOKEN}`, { headers: { 'sec-fetch-site': 'cross-site' } }),
    ])

    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'cache-control': 'no-store',
      })
      const policy = headers['content-security-policy'] ?? ''
      for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"])
        expect(policy).toContain(part)
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
    }
  })

  it('lets run exactly the script that is in the page', async () => {
    const { headers } = await ask(await open(), '/')

    const hash = async (text: string): Promise<string> =>
      Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64')
    const [script, style] = [await hash('document.title="runs"'), await hash('p{color:green}')]
    expect(headers['content-security-policy']).toContain(`script-src 'sha256-${script}';`)
    expect(headers['content-security-policy']).toContain(`style-src 'sha256-${style}';`)
  })

  it('keeps hostile words in JSON, which no browser takes for a page', async () => {
    const project = makeProject()
    const hostile = '</script><script>alert(1)</script><img src=x onerror=alert(2)>'
    const store = storeOf(project)
    store.perform([{ do: 'write', path: 'project.md', text: `# Project\n\n${hostile}\n` }])
    const answered = await ask(await open(project), '/api/memory')

    expect(answered.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(JSON.parse(answered.text).pages[0].text).toContain(hostile)
  })

  it('never shows an address in the words of an error', async () => {
    const hostile = '%3Cscript%3Ealert(1)%3C%2Fscript%3E'
    const dashboard = await open()

    for (const before of ['/', '/api/', '/api/session/', '/api/item/', '/?token='])
      expect((await ask(dashboard, before + hostile)).text).not.toContain('<script>')
  })
})

describe('the way in', () => {
  const enter = (port: number, headers: Record<string, string> = {}): ReturnType<typeof send> =>
    send(port, `/?token=${TOKEN}`, { headers: { host: `127.0.0.1:${port}`, ...headers } })

  it('gives the cookie once, takes the token out of the address, and is used up', async () => {
    const { port } = await open()
    // A request that is refused does not use it up.
    for (const headers of [{ host: 'attacker.example' }, { origin: 'null' }, { 'sec-fetch-dest': 'iframe' }])
      expect((await enter(port, headers as unknown as Record<string, string>)).status).toBe(403)
    const first = await enter(port, { host: `localhost:${port}` })
    const second = await enter(port)

    const cookie = `memory-keeper-${port}=${COOKIE}`
    expect([first.status, first.headers.location]).toEqual([303, '/'])
    expect(first.headers['set-cookie']).toEqual([`${cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000`])
    expect([second.status, second.headers['set-cookie']]).toEqual([401, undefined])
    // The user's own browser, which has the cookie: a reload or the back button.
    expect((await enter(port, { cookie })).status).toBe(303)
  })

  it('begins anew where a page of another origin led here: the cookie would not be sent along', async () => {
    const { port } = await open()
    const answered = await enter(port, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' })

    expect(answered.status).toBe(200)
    expect(answered.headers['set-cookie']?.[0]).toContain('SameSite=Strict')
    expect(answered.text).toContain('content="0;url=/"')
  })

  it('listens on the address of this machine alone', async () => {
    const { port } = await open()
    const others = Object.values(os.networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
    for (const { address } of others) {
      const isOpen = await new Promise<boolean>((resolve) => {
        const socket = net.connect({ port, host: address, timeout: 1_000 })
        const tell = (is: boolean) => () => {
          socket.destroy()
          resolve(is)
        }
        socket.once('connect', tell(true)).once('error', tell(false)).once('timeout', tell(false))
      })
      expect(isOpen).toBe(false)
    }
    expect(await sendRaw(port, 'GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/)
  })
})

describe('a path', () => {
  it('leads nowhere but to what the memory lists', async () => {
    const project = remembering()
    fs.writeFileSync(path.join(project.base, 'secret.md'), 'TOP SECRET')
    fs.writeFileSync(path.join(project.memory, 'memory_20260101_000000.md.bak'), 'TOP SECRET')
    const dashboard = await open(project)
    const whole = encodeURIComponent(path.join(project.base, 'secret.md'))
    const ways = `../secret.md ../../../secret.md ..%2f..%2f..%2fsecret.md ..%5c..%5c..%5csecret.md
      %2e%2e/%2e%2e/%2e%2e/secret.md ....//....//secret.md %2f${whole} ${whole} memory_20260101_000000.md.bak
      memory_20260101_000000.md%00.bak memory-index.json config.json .owner __proto__ constructor`.split(/\s+/)

    for (const view of ['archive', 'tier', 'session', 'injected', 'item'])
      for (const way of [...ways, '']) {
        const answered = await ask(dashboard, `/api/${view}/${way}`)
        expect([400, 404]).toContain(answered.status)
        expect(answered.text).not.toContain('TOP SECRET')
      }
    for (const target of `/../secret.md /..%2fsecret.md /api/../../secret.md /api/__proto__ /api/constructor /api/toString`.split(
      /\s+/,
    ))
      expect([400, 404]).toContain((await ask(dashboard, target)).status)
  })

  it('that is a link in the place of an archive or a week is not followed', async () => {
    const project = remembering()
    fs.writeFileSync(path.join(project.base, 'secret.md'), 'TOP SECRET')
    fs.symlinkSync(path.join(project.base, 'secret.md'), path.join(project.memory, 'memory_20260101_000000.md'))
    fs.symlinkSync(path.join(project.base, 'secret.md'), path.join(project.memory, 'sessions', 'week-2026-01.md'))
    fs.symlinkSync(path.join(project.base, 'secret.md'), path.join(project.memory, 'leaked.md'))
    const dashboard = await open(project)

    for (const target of [
      '/api/memory',
      '/api/archive/memory_20260101_000000.md',
      '/api/tier/week-2026-01.md',
      '/api/item/page:leaked',
    ])
      expect((await ask(dashboard, target)).text).not.toContain('TOP SECRET')
  })

  it('of any letters is answered, and the server goes on', async () => {
    const dashboard = await open(remembering())
    const pieces = fc.constantFrom(
      ...'% %2 %zz %ff%fe %00 .. / ? & = # a %ED%A0%80 \\ + session/ item/ search?q= limit=-1 offset=1e9'.split(' '),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 8 }), async (some) => {
        const { status } = await ask(dashboard, `/api/${some.join('').replaceAll('#', '')}`)
        expect([200, 400, 404]).toContain(status)
      }),
      { numRuns: 60 },
    )
    expect(await isAnswering(dashboard)).toBe(true)
  })
})

describe('a broken request', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['bytes of nothing', Buffer.alloc(2_000, 0)],
    ['a TLS greeting', Buffer.from('16030100ba010000b60303', 'hex')],
    ['another host as its target', 'GET http://attacker.example/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n'],
    ['a tunnel', 'CONNECT attacker.example:443 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n'],
    ['an upgrade', 'GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    [
      'two lengths',
      'POST /api/act HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde',
    ],
    [
      'a length and chunks',
      'POST /api/act HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: attacker.example\r\n\r\n'],
    ['a head without end', `GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['an address without end', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n`],
    ['a thousand headers', `GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n${'A: b\r\n'.repeat(5_000)}\r\n`],
  ])('with %s is refused, and the server goes on', async (_, bytes) => {
    const dashboard = await open()
    const raw = typeof bytes === 'string' ? bytes.replaceAll('PORT', String(dashboard.port)) : bytes
    const heard = await sendRaw(dashboard.port, raw)

    expect(heard === '' || /^HTTP\/1\.1 4\d\d/.test(heard)).toBe(true)
    expect(heard).not.toMatch(/Error|node:|\.ts|\.cjs/)
    expect(await isAnswering(dashboard)).toBe(true)
  })

  it('that is too large is not read', async () => {
    const dashboard = await open()
    const tooLarge = JSON.stringify({ do: 'edit-note', id: 'n-1', text: 'x'.repeat(300_000) })

    const answered = await post(dashboard, tooLarge)
    expect(answered.status).toBe(413)
    expect(codeIn(answered)).toBe('too-large')
    expect((await post(dashboard, tooLarge, { 'transfer-encoding': 'chunked' })).status).toBe(413)
    expect(await isAnswering(dashboard)).toBe(true)
  })

  it.each([
    ...['', '{', 'null', '[]', '"x"', '{"do":"destroy"}', '{"do":"forget","id":"d001"}', '{"do":"pin"}'],
    ...['{"do":"pin","id":7}', '{"do":"__proto__","id":"x"}', '{"do":"reject","id":"d001"}'],
  ])('that asks for %j changes nothing', async (body) => {
    const project = remembering()
    const dashboard = await open(project)
    const before = treeOf(project.memory)
    const answered = await post(dashboard, body)

    expect(answered.status).toBe(400)
    expect(codeIn(answered)).toBe('usage')
    expect(treeOf(project.memory)).toEqual(before)
  })

  it('that is never finished, a hundred times, keeps nobody else waiting', async () => {
    const dashboard = await open()
    const sockets = Array.from({ length: 100 }, () => net.connect(dashboard.port, '127.0.0.1'))
    for (const socket of sockets) {
      socket.on('error', () => {})
      socket.write(`GET /api/overview HTTP/1.1\r\nHost: 127.0.0.1:${dashboard.port}\r\nX-Slow: `)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))

    expect(await isAnswering(dashboard)).toBe(true)
    for (const socket of sockets) socket.destroy()
  })

  it('by the hundreds at once is answered or dropped, and the server goes on', async () => {
    const dashboard = await open(remembering())
    // More than the server takes at once.
    const all = await Promise.allSettled(Array.from({ length: 210 }, () => ask(dashboard, '/api/overview')))

    const answered = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.status] : []))
    expect(answered.length).toBeGreaterThan(0)
    expect(new Set(answered)).toEqual(new Set([200]))
    expect(await isAnswering(dashboard)).toBe(true)
  })
})

describe('the files', () => {
  it('of the server are for this user alone, and reading writes nothing into the memory', async () => {
    const project = remembering()
    const before = treeOf(project.memory)
    const dashboard = await open(project)
    for (const target of EVERYTHING) expect((await ask(dashboard, target)).status).toBeLessThan(405)

    expect(treeOf(project.memory)).toEqual(before)
    const cache = path.join(project.home, '.cache', 'memory-keeper')
    const below = fs.readdirSync(cache, { recursive: true, encoding: 'utf8' }).map((name) => path.join(cache, name))
    expect(below.some((file) => file.includes(`${path.sep}rows${path.sep}`))).toBe(true)
    if (process.platform === 'win32') return
    // What is in a closed directory is closed to other users, whatever its own mode is.
    for (const dir of [project.memory, project.keeper])
      expect([dir, fs.statSync(dir).mode & 0o777]).toEqual([dir, 0o700])
    for (const file of [cache, ...below]) {
      const facts = fs.statSync(file)
      expect([file, facts.mode & 0o777]).toEqual([file, facts.isDirectory() ? 0o700 : 0o600])
    }
  })

  it('are not handed to another user who has the cookie (seen in a list of processes, or by a server of his)', async (context) => {
    if (process.getuid?.() !== 0) context.skip('only root can become another user')
    if (!fs.existsSync('/proc/net/tcp')) context.skip('this system does not tell whose a connection is')
    const { port } = await open(remembering(), { uid: process.getuid?.() })
    const look = `
      const headers = { cookie: 'memory-keeper-${port}=${COOKIE}' }
      const targets = ['/api/overview', '/?token=${TOKEN}', '/']
      const ask = (target) => fetch('http://127.0.0.1:${port}' + target, { headers, redirect: 'manual' })
      Promise.all(targets.map((target) => ask(target).catch(() => ({ status: 'closed' }))))
        .then((all) => console.log(all.map(({ status }) => status).join(' ')))`
    const asked = (uid: number): Promise<string> =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, ['-e', look], { uid, gid: uid, stdio: ['ignore', 'pipe', 'inherit'] })
        child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()))
      })

    expect(await asked(65534)).toBe('closed closed closed')
    expect(await asked(0)).toBe('200 303 200')
  })

  it('cannot be read by a process of another user', async (context) => {
    if (process.getuid?.() !== 0) context.skip('only root can become another user')
    const project = remembering()
    // The way to them is open: what must hold is what we made ourselves.
    for (const dir of [
      project.base,
      project.root,
      project.home,
      path.join(project.root, '.claude'),
      path.join(project.home, '.claude'),
      path.join(project.home, '.cache'),
    ])
      if (fs.existsSync(dir)) fs.chmodSync(dir, 0o755)
    const dashboard = await open(project)
    for (const target of EVERYTHING) await ask(dashboard, target)
    if (fs.existsSync(path.join(project.home, '.cache'))) fs.chmodSync(path.join(project.home, '.cache'), 0o755)
    const look = `
      const fs = require('node:fs'), path = require('node:path')
      const seen = []
      const visit = (dir) => {
        let names = []
        try { names = fs.readdirSync(dir) } catch { return }
        for (const name of names) {
          const file = path.join(dir, name)
          try { if (fs.statSync(file).isDirectory()) visit(file); else { fs.readFileSync(file); seen.push(file) } } catch {}
        }
      }
      for (const dir of process.argv.slice(1)) visit(dir)
      console.log(JSON.stringify(seen))`
    // Proof that the other one gets as far as our files.
    const open644 = path.join(project.root, '.claude', 'open.txt')
    fs.writeFileSync(open644, 'for everybody', { mode: 0o644 })
    fs.chmodSync(open644, 0o644)
    const ours = [path.dirname(open644), project.keeper, path.join(project.home, '.cache', 'memory-keeper')]
    const asRoot = spawnSync(process.execPath, ['-e', look, ...ours], { encoding: 'utf8' })
    const asOther = spawnSync(process.execPath, ['-e', look, ...ours], { encoding: 'utf8', uid: 65534, gid: 65534 })

    expect(JSON.parse(asRoot.stdout).length).toBeGreaterThan(5)
    expect(asOther.stderr).toBe('')
    expect(JSON.parse(asOther.stdout)).toEqual([open644])
  })
})
