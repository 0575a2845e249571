/** The raw backup: whole, without secrets, and written only when there is something new. */
import fs from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { backupRaw } from '../../../../src/kernel/sessions/disk/raw-backup.ts'
import { makeProject, sessionId, storeOf, type TestProject, write } from '../../../support/project.ts'

const FILE = '20260113_120000_00000001.l1.jsonl'
const KEY = `sk-ant-api03-${'a1B2c3'.repeat(15)}AA`

interface Stage {
  project: TestProject
  transcript: string
  backup: string
  store(): Store
  /** Writes the transcript, at a time of its own. */
  say(text: string | Buffer): void
  run(): boolean
  read(): string
}

function stage(config: object = { rawBackup: true }): Stage {
  const project = makeProject()
  write(path.join(project.keeper, 'config.json'), JSON.stringify(config))
  const transcript = project.transcriptOf(sessionId(1))
  const backup = path.join(project.memory, 'sessions', FILE.replace('.l1.jsonl', '.raw.jsonl.gz'))
  const store = (): Store => storeOf(project)
  let minute = 0
  return {
    ...{ project, transcript, backup, store },
    say: (text) => {
      write(transcript, text)
      const at = Date.parse('2026-01-13T12:00:00Z') / 1000 + 60 * minute++
      fs.utimesSync(transcript, at, at)
    },
    run: () => backupRaw(store(), { transcript, file: FILE }),
    read: () => gunzipSync(fs.readFileSync(backup)).toString('utf8'),
  }
}

const line = (text: string, more: object = {}): string => `${JSON.stringify({ type: 'user', text, ...more })}\n`

describe('the raw backup', () => {
  it('is not made unless it is wanted', () => {
    const off = stage({})
    off.say(line('hello'))

    expect(off.run()).toBe(false)
    expect(fs.existsSync(off.backup)).toBe(false)
  })

  it('holds the transcript byte for byte where nothing is secret', () => {
    const on = stage()
    const text = `\ufeff${line('안녕 \u2028')}{"glued":1}{"objects":2}\r\nno json\n\n${line('two', { n: 1.0e21 })}`
    on.say(text)

    expect(on.run()).toBe(true)
    expect(on.read()).toBe(text)
    if (process.platform !== 'win32') expect(fs.statSync(on.backup).mode & 0o777).toBe(0o600)
    expect(fs.readdirSync(path.dirname(on.backup))).toEqual([path.basename(on.backup)])
  })

  it('is written again when the transcript has grown or was changed, and only then', () => {
    const on = stage()
    on.say(line('one'))
    const first = [on.run(), on.run()]
    on.say(line('one') + line('two'))
    const grown = [on.run(), on.run()]
    on.say(line('one') + line('six'))

    expect([...first, ...grown, on.run(), on.run()]).toEqual([true, false, true, false, true, false])
    expect(on.read()).toBe(line('one') + line('six'))
  })

  it('is written again when more is to be redacted', () => {
    const on = stage()
    on.say(line('the plan is called Bluebird'))
    on.run()
    write(path.join(on.project.keeper, 'config.json'), '{"rawBackup":true,"redactPatterns":["Bluebird"]}')

    expect(on.run()).toBe(true)
    expect(on.read()).toBe(line('the plan is called [redacted:custom]'))
  })

  it('outlives its transcript, and one that was cut', () => {
    const on = stage()
    on.say(line('one') + line('two'))
    on.run()
    on.say('')
    const cut = on.run()
    fs.rmSync(on.transcript)

    expect([cut, on.run()]).toEqual([false, false])
    expect(on.read()).toBe(line('one') + line('two'))
  })

  it('replaces what is no backup of ours', () => {
    const on = stage()
    on.say(line('one'))
    on.run()
    write(on.backup, 'broken')

    expect(on.run()).toBe(true)
    expect(on.read()).toBe(line('one'))
  })

  it('leaves out a line that is half written, and keeps one that only lacks its end', () => {
    const on = stage()
    on.say(`${line('one')}{"type":"us`)
    on.run()
    const half = on.read()
    on.say(line('one') + line('two').trimEnd())
    on.run()

    expect(half).toBe(line('one'))
    expect(on.read()).toBe(line('one') + line('two').trimEnd())
  })

  it('holds no secret, however JSON writes it, and stays JSON', () => {
    const on = stage()
    const pem = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEow0aB+/9'.repeat(30)}\n-----END RSA PRIVATE KEY-----`
    const secrets = [
      line(`use ${KEY} now`),
      line(`key:\n${pem}\ndone`),
      line('ok', { input: { password: 'hunter2-Zx81!', nested: [{ api_key: 'q8Zr1Lm0Xc7Vb2Nn5Kk9' }] } }),
      line('before <private>my diary</private> after'),
      line('before <private>never closed', { later: 'kept' }),
      line(`{"env":"AWS_SECRET_ACCESS_KEY=${'wJalrXUtnFEMI7K9'.repeat(2)}abcd1234"}`),
      `{"half":"glued ${KEY}"}{"more":1}\n`,
      line('the last one'),
    ]
    on.say(secrets.join(''))
    on.run()
    const lines = on.read().split('\n')

    expect(on.read()).not.toMatch(/a1B2c3|MIIEow|hunter2|q8Zr1|diary|never closed|wJalr/)
    expect(lines).toHaveLength(secrets.length + 1)
    for (const [n, text] of lines.slice(0, -1).entries()) if (n !== 6) expect(() => JSON.parse(text)).not.toThrow()
    expect(JSON.parse(lines[4] ?? '')).toMatchObject({ later: 'kept' })
    expect(lines[7]).toBe(line('the last one').trimEnd())
  })

  it('is the same whatever the transcript is made of, when there is nothing to redact', () => {
    const part = fc.oneof(fc.string({ unit: 'grapheme' }), fc.json(), fc.constantFrom('\r', '\0', '\ud800', '{"a":1}'))
    const on = stage({ rawBackup: true, redaction: false })
    fc.assert(
      fc.property(fc.array(part.filter((text) => !/private/i.test(text))), (parts) => {
        fs.rmSync(on.backup, { force: true })
        const bytes = Buffer.from(parts.map((text) => `${text}\n`).join(''))
        on.say(bytes)
        expect(on.run()).toBe(true)
        expect(gunzipSync(fs.readFileSync(on.backup)).equals(bytes)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  it('is made in pieces: a transcript larger than one, and a line larger than one', () => {
    const on = stage()
    const text =
      Array.from({ length: 90_000 }, (_, n) => line(`entry number ${n} of a long session`)).join('') +
      line('x '.repeat(3_000_000))
    on.say(text)

    expect(on.run()).toBe(true)
    expect(on.read() === text).toBe(true)
  })
})
