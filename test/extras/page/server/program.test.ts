/** The built program, as a person starts it: prints an address, serves the built page, ends with Ctrl+C. */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { HealthView, Overview } from '../../../../src/extras/page/server/api.ts'
import { CLI, type Env, envOf, start, until } from '../../../support/process.ts'
import { makeProject, type TestProject, write } from '../../../support/project.ts'

interface Started {
  said(): string
  interrupt(): void
  ended: Promise<{ out: string; err: string; code: number | null }>
}

function dashboard(project: TestProject, args: string[] = [], env: Env = {}): Started {
  const { child, ended } = start([CLI, 'dashboard', '--json', ...args], project.root, envOf(project, env), null)
  let said = ''
  child.stdout?.on('data', (text: string) => {
    said += text
  })
  return { said: () => said, interrupt: () => child.kill('SIGINT'), ended }
}

describe('memory-keeper dashboard', () => {
  it('serves the built page and its answers until Ctrl+C, says which port is taken, and has another token at every start', async () => {
    const project = makeProject()
    const started = dashboard(project)
    await until(() => started.said().includes('\n'))
    const { url, port } = JSON.parse(started.said()) as { url: string; port: number }
    const entry = await fetch(url, { redirect: 'manual' })
    const cookie = entry.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const ask = (target: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}${target}`, { headers: { cookie } })

    // 32 random bytes.
    expect(url).toMatch(/\?token=[\w-]{43}$/)
    expect(cookie).not.toContain(new URL(url).searchParams.get('token') ?? '')
    const page = await ask('/')
    const html = await page.text()
    expect(page.status).toBe(200)
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toMatch(/<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?https?:/)
    const overview = (await (await ask('/api/overview')).json()) as Overview
    expect(overview).toMatchObject({ project: project.root, standing: 'absent' })
    // In a process of its own.
    const health = (await (await ask('/api/health')).json()) as HealthView
    expect(health.checks.length).toBeGreaterThan(10)
    const key = path.join(project.keeper, 'dashboard.key')
    expect(fs.readFileSync(key, 'utf8').trim()).toBe(cookie.split('=')[1])
    if (process.platform !== 'win32') expect(fs.statSync(key).mode & 0o777).toBe(0o600)
    const { code, err } = await dashboard(project, ['--port', String(port)]).ended
    expect(code).toBe(1)
    expect(err).toContain('--port')
    const second = dashboard(project)
    await until(() => second.said().includes('\n'))
    expect(JSON.parse(second.said()).url).not.toContain(new URL(url).searchParams.get('token') ?? '')
    expect(JSON.parse(second.said())).toMatchObject({ takenPort: port })
    for (const one of [started, second]) {
      one.interrupt()
      expect(await one.ended).toMatchObject({ err: '', code: 0 })
    }
    await expect(ask('/')).rejects.toThrow()
    // A bookmark: the same address, and a browser that was let in before.
    const again = dashboard(project, ['--all'])
    await until(() => again.said().includes('\n'))
    expect(JSON.parse(again.said())).toEqual({ url: expect.stringContaining(`:${port}/`), port })
    expect((await ask('/api/projects')).status).toBe(200)
    again.interrupt()
    expect(await again.ended).toMatchObject({ err: '', code: 0 })
    // Other projects are for people only.
    expect(await dashboard(project, ['--all'], { CLAUDECODE: '1' }).ended).toMatchObject({ code: 2 })
  })

  it('is found by the skill, which then starts none, and lets in another browser', async () => {
    const project = makeProject()
    const started = dashboard(project)
    await until(() => started.said().includes('\n'))
    const { url, port } = JSON.parse(started.said()) as { url: string; port: number }
    const enter = async (address: string): Promise<number> => (await fetch(address, { redirect: 'manual' })).status
    const skill = async (): Promise<string> =>
      JSON.parse((await start([CLI, 'skill', 'dashboard', '--json'], project.root, envOf(project), '').ended).out).url

    expect(await skill()).toBe(url)
    expect(await enter(url)).toBe(303)
    // The first address is used up.
    const next = await skill()
    expect(await enter(url)).toBe(401)
    expect(next).toContain(`:${port}/?token=`)
    expect(await enter(next)).toBe(303)
    const [dir = ''] = fs.readdirSync(path.join(project.keeper, 'servers'))
    const file = path.join(project.keeper, 'servers', dir, 'page.url')
    if (process.platform !== 'win32') expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    started.interrupt()
    expect(await started.ended).toMatchObject({ err: '', code: 0 })
    expect(fs.existsSync(file)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')('starts the browser without the token on its command line', async () => {
    const project = makeProject()
    const tools = path.join(project.base, 'tools')
    const seen = path.join(project.base, 'seen')
    const hostile = path.join(project.root, 'bin')
    const name = process.platform === 'darwin' ? 'open' : 'xdg-open'
    write(path.join(tools, name), `#!/bin/sh\nfor one in "$@"; do echo "$one"; done > ${seen}\n`)
    write(path.join(hostile, name), `#!/bin/sh\ntouch ${seen}-by-the-project\n`)
    for (const dir of [tools, hostile]) fs.chmodSync(path.join(dir, name), 0o755)
    const env = { PATH: `${hostile}:.:${tools}:/usr/bin:/bin` }
    const started = dashboard(project, ['--open'], env)
    await until(() => fs.existsSync(seen) && fs.readFileSync(seen, 'utf8').endsWith('\n'))
    const { url } = JSON.parse(started.said()) as { url: string }
    const args = fs.readFileSync(seen, 'utf8').trim().split('\n')
    const file = fileURLToPath(args.at(-1) ?? '')

    expect(args.join(' ')).not.toContain('token')
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
    expect(fs.readFileSync(file, 'utf8')).toContain(`url=${url}`)
    expect(fs.existsSync(`${seen}-by-the-project`)).toBe(false)
    started.interrupt()
    expect(await started.ended).toMatchObject({ err: '', code: 0 })
    expect(fs.existsSync(file)).toBe(false)
  })
})
