/** The built program, as a person starts it: prints an address, serves the built page, ends with Ctrl+C. */
import { describe, expect, it } from 'vitest'
import type { HealthView, Overview } from '../../src/dashboard/api.ts'
import { CLI, envOf, start, until } from '../support/process.ts'
import { makeProject, type TestProject } from '../support/project.ts'

interface Started {
  said(): string
  interrupt(): void
  ended: Promise<{ out: string; err: string; code: number | null }>
}

function dashboard(project: TestProject, ...args: string[]): Started {
  const { child, ended } = start([CLI, 'dashboard', '--json', ...args], project.root, envOf(project), null)
  let said = ''
  child.stdout?.on('data', (text: string) => {
    said += text
  })
  return { said: () => said, interrupt: () => child.kill('SIGINT'), ended }
}

describe('memory-keeper dashboard', () => {
  it('serves the built page and its answers until Ctrl+C', async () => {
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
    started.interrupt()
    expect(await started.ended).toMatchObject({ err: '', code: 0 })
    await expect(ask('/')).rejects.toThrow()
  })

  it('has another token at every start, and says which port is taken', async () => {
    const project = makeProject()
    const first = dashboard(project)
    await until(() => first.said().includes('\n'))
    const { url, port } = JSON.parse(first.said()) as { url: string; port: number }
    const second = dashboard(project)
    await until(() => second.said().includes('\n'))
    const { code, err } = await dashboard(project, '--port', String(port)).ended

    expect(JSON.parse(second.said()).url).not.toContain(new URL(url).searchParams.get('token') ?? '')
    expect(code).toBe(1)
    expect(err).toContain('--port')
    for (const one of [first, second]) {
      one.interrupt()
      await one.ended
    }
  })
})
