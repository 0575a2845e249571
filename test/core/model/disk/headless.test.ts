/** The headless child, played by small programs: what it is given, and every way in which it can fail. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type HeadlessOptions, runHeadless } from '../../../../src/core/model/disk/headless.ts'
import { childArgs, type ModelRequest } from '../../../../src/core/model/headless.ts'
import { HEADLESS_CHILD_FILE } from '../../../../src/kernel/platform/layout.ts'
import { now, tempDir } from '../../../support/project.ts'

const request: ModelRequest = { system: 'Be "brief".', prompt: 'Write.', stdin: '줄 하나\n$HOME `x`\n' }
const FINE = `JSON.stringify({ type: 'result', is_error: false, result: 'A note.', total_cost_usd: 0.01, usage: { input_tokens: 3, output_tokens: 4 } })`

const ECHO_ARGS = `console.log(JSON.stringify({ type: 'result', is_error: false, result: process.argv.slice(2).join('|') }))`

interface Stage extends HeadlessOptions {
  dir: string
}

/** A program named claude that runs this script; `__dir` is a place where it can leave things. */
function stage(script: string, options: Partial<HeadlessOptions> = {}): Stage {
  const dir = tempDir()
  for (const name of ['bin', 'temp', 'host']) fs.mkdirSync(path.join(dir, name))
  const program = `#!${process.execPath}\nconst fs = require('fs'), __dir = ${JSON.stringify(dir)};\n${script}\n`
  fs.writeFileSync(path.join(dir, 'bin', 'claude'), program, { mode: 0o755 })
  return {
    dir,
    homeDir: path.join(dir, 'keeper'),
    hostDir: path.join(dir, 'host'),
    env: { PATH: `/nowhere:${path.join(dir, 'bin')}`, KEPT: 'yes' },
    platform: process.platform,
    roots: [],
    tempDir: path.join(dir, 'temp'),
    now,
    hostPid: null,
    timeoutMs: 20_000,
    ...options,
  }
}

async function whyOf(script: string, options: Partial<HeadlessOptions> = {}, asked = request): Promise<string> {
  const result = await runHeadless(asked, stage(script, options))
  return result.ok ? 'ok' : result.why
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe.skipIf(process.platform === 'win32')('the child', () => {
  it('gets exactly its arguments, directory, environment and text, and its answer comes back', async () => {
    const options = stage(
      `fs.writeFileSync(__dir + '/seen.json', JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd(), env: process.env, stdin: fs.readFileSync(0, 'utf8') })); console.log(${FINE})`,
    )
    const result = await runHeadless(request, options)
    const seen = JSON.parse(fs.readFileSync(path.join(options.dir, 'seen.json'), 'utf8'))

    expect(result).toEqual({
      ...{ ok: true, text: 'A note.', structured: null, model: null },
      ...{ tokens: { input: 3, output: 4 }, costUsd: 0.01 },
    })
    expect(seen.argv).toEqual(childArgs(request, null))
    expect(seen.cwd).toBe(options.tempDir)
    expect(seen.stdin).toBe(request.stdin)
    expect(seen.env).toMatchObject({ ...options.env, MEMORY_KEEPER_CHILD: '1', CLAUDE_CODE_MAX_RETRIES: '1' })
    expect(Object.keys(seen.env).filter((name) => process.env[name] !== undefined && name !== 'PATH')).toEqual([])
  })

  it('gets the key helper of the settings and nothing else of them', async () => {
    const options = stage(ECHO_ARGS)
    const settings = { apiKeyHelper: '/bin/key --of me', env: { SECRET: 'x' }, hooks: {}, model: 'opus' }
    fs.writeFileSync(path.join(options.hostDir, 'settings.json'), `\ufeff${JSON.stringify(settings)}`)
    const result = await runHeadless(request, options)

    expect(result.ok && result.text).toBe(childArgs(request, '/bin/key --of me').join('|'))
  })

  it('needs no sound settings', async () => {
    for (const settings of ['{"apiKeyHelper":', 'null', '[]', '{"apiKeyHelper":5}', '{"apiKeyHelper":" "}', '']) {
      const options = stage(ECHO_ARGS)
      fs.writeFileSync(path.join(options.hostDir, 'settings.json'), settings)
      const result = await runHeadless(request, options)

      expect(result.ok && result.text).toBe(childArgs(request, null).join('|'))
    }
  })

  it('gets a large text whole', async () => {
    const stdin = '가나다라 '.repeat(300_000)
    const script = `let n = 0; process.stdin.on('data', (d) => { n += d.length }).on('end', () => console.log(JSON.stringify({ type: 'result', is_error: false, result: String(n) })))`
    const result = await runHeadless({ ...request, stdin }, stage(script))

    expect(result.ok && Number(result.text)).toBe(Buffer.byteLength(stdin))
  })

  it('that fails the way the host fails is no answer', async () => {
    const failing = (status: number, result: string) =>
      `console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: true, api_error_status: ${status}, result: '${result}' })); process.exitCode = 1`

    expect(await whyOf(failing(401, 'Invalid API key'))).toBe('login')
    expect(await whyOf(failing(400, 'Prompt is too long'))).toBe('too-long')
    expect(await whyOf(failing(529, 'API Error: 529'))).toBe('overloaded')
    expect(await whyOf(`console.log(JSON.stringify({ type: 'result', is_error: true, result: 'A note.' }))`)).toBe(
      'failed',
    )
    expect(await whyOf(`console.log(${FINE}); process.exitCode = 3`)).toBe('failed')
    expect(await whyOf(`console.log('All is well.')`)).toBe('unreadable')
    expect(await whyOf(`process.kill(process.pid, 'SIGKILL')`)).toBe('killed')
    expect(await whyOf('process.exit(143)')).toBe('killed')
  })

  it('that ends without reading its text breaks nothing', async () => {
    const large = { ...request, stdin: 'x'.repeat(2_000_000) }

    expect(await whyOf(`console.log(${FINE}); process.exit(0)`, {}, large)).toBe('ok')
    expect(await whyOf('process.exit(7)', {}, large)).toBe('failed')
  })

  it('that prints without end, or 5 MB around its answer, is not believed; complaints without end change nothing', async () => {
    const endless = `const part = 'x'.repeat(1 << 16); const more = () => { while (process.stdout.write(part)); process.stdout.once('drain', more) }; more()`

    expect(await whyOf(endless)).toBe('unreadable')
    expect(await whyOf(`process.stdout.write('x'.repeat(5e6) + '\\n' + ${FINE} + '\\n')`)).toBe('unreadable')
    expect(await whyOf(`process.stderr.write('y'.repeat(5e6)); console.log(${FINE})`)).toBe('ok')
  })

  it('that hangs is ended after its time, and what it printed until then is no answer', async () => {
    expect(await whyOf(`console.log(${FINE}); setInterval(() => {}, 1000)`, { timeoutMs: 150 })).toBe('timeout')
  })

  it('that does not want to end is ended all the same, with what it has started', async () => {
    const options = stage(
      `const { spawn } = require('child_process'); process.on('SIGTERM', () => {});
       const own = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'inherit' });
       fs.writeFileSync(__dir + '/pids', process.pid + ' ' + own.pid); setInterval(() => {}, 1000)`,
      { timeoutMs: 1_000, graceMs: 300 },
    )
    const result = await runHeadless(request, options)
    const pids = fs.readFileSync(path.join(options.dir, 'pids'), 'utf8').split(' ').map(Number)
    await new Promise((resolve) => setTimeout(resolve, 200))

    expect(result).toMatchObject({ ok: false, why: 'timeout' })
    expect(pids.filter(isAlive)).toEqual([])
  }, 20_000)

  it('whose own child holds on to its output keeps nobody waiting', async () => {
    const script = `const { spawn } = require('child_process'); spawn('/bin/sleep', ['75'], { stdio: 'inherit' }).unref(); fs.writeSync(1, ${FINE} + '\\n'); process.exit(0)`
    expect(await whyOf(script)).toBe('ok')
  })

  it('is known to others on the machine while it lives, and no longer', async () => {
    const options = stage(
      `const look = () => { try { return fs.readFileSync(__dir + '/keeper/${HEADLESS_CHILD_FILE}', 'utf8') } catch { return '' } };
       const wait = setInterval(() => { if (look() === '') return; clearInterval(wait); console.log(JSON.stringify({ type: 'result', is_error: false, result: String(JSON.parse(look()).pid === process.pid) })) }, 10)`,
    )
    const result = await runHeadless(request, options)

    expect(result.ok && result.text).toBe('true')
    expect(fs.readdirSync(options.homeDir)).toEqual([])
  })
})

describe('without a child', () => {
  it('nothing is found; what cannot be started counts as not found', async () => {
    const missing = stage('', { env: { PATH: tempDir() } })
    expect(await runHeadless(request, missing)).toMatchObject({ ok: false, why: 'not-found' })
    if (process.platform === 'win32') return
    const broken = stage('')
    fs.writeFileSync(path.join(broken.dir, 'bin', 'claude'), '#!/nowhere/node\n')
    expect(await runHeadless(request, broken)).toMatchObject({ ok: false, why: 'not-found' })
  })

  it.skipIf(process.platform === 'win32')('the reason is told, and nothing is thrown', async () => {
    const options = stage(`console.log(${FINE})`)

    expect(await runHeadless(request, { ...options, tempDir: path.join(options.dir, 'gone') })).toMatchObject({
      why: 'failed',
      message: 'the temporary directory is missing',
    })
    expect(await runHeadless({ ...request, prompt: 'a\0b' }, options)).toMatchObject({ ok: false, why: 'failed' })
  })

  it.skipIf(process.platform === 'win32')('a home that cannot be written is told, and nothing runs on', async () => {
    const options = stage(`setTimeout(() => fs.writeFileSync(__dir + '/late', ''), 100)`)
    fs.writeFileSync(options.homeDir, 'no directory')
    const result = await runHeadless(request, options)
    await new Promise((resolve) => setTimeout(resolve, 400))

    expect(result).toMatchObject({ ok: false, why: 'failed' })
    expect(fs.existsSync(path.join(options.dir, 'late'))).toBe(false)
  })

  it('a child of ours starts no other', async () => {
    const options = stage(`fs.writeFileSync(__dir + '/ran', ''); console.log(${FINE})`)
    const result = await runHeadless(request, { ...options, env: { ...options.env, MEMORY_KEEPER_CHILD: '1' } })

    expect(result.ok).toBe(false)
    expect(fs.existsSync(path.join(options.dir, 'ran'))).toBe(false)
  })
})
