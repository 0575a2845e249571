/** Files that people edit, saved in the encodings of other editors, with a session after it: no word and no byte is lost, and the user hears of it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { liveSession, makeProject, type Project, run, type Session } from './programs.ts'
import { writeTurn } from './written.ts'

/** In Latin-1 and in CP949 of these there are bytes that are no UTF-8. */
const LATIN = 'Grüße: die Tiefe des Hafens steht in Metern.'
const KOREAN = '항구'
const IN_CP949 = Buffer.from([0xc7, 0xd7, 0xb1, 0xb8])
const WORDS = 'We decided to keep the depths in metres instead of feet, because every chart of the harbour uses them.'

type Encode = (text: string) => Buffer

const ENCODINGS: Readonly<Record<string, { encode: Encode; words: string; isText: boolean }>> = {
  'UTF-8 with a mark': { encode: (text) => Buffer.from(`\ufeff${text}`), words: LATIN + KOREAN, isText: true },
  'UTF-16LE': { encode: (text) => Buffer.from(`\ufeff${text}`, 'utf16le'), words: LATIN + KOREAN, isText: true },
  'UTF-16BE': {
    encode: (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    words: LATIN + KOREAN,
    isText: true,
  },
  'Latin-1': { encode: (text) => Buffer.from(text, 'latin1'), words: LATIN, isText: false },
  CP949: { encode: (text) => replaced(Buffer.from(text), Buffer.from(KOREAN), IN_CP949), words: KOREAN, isText: false },
}

/** What a person writes into each file, and the command that changes the file afterwards. */
const FILES: Readonly<Record<string, { text: (before: string, words: string) => string; change: readonly string[] }>> =
  {
    'memory.md': {
      text: (before, words) => `${before}## Mine\n\n${words}\n\n`,
      change: ['note', '--text', 'The depths are measured on Mondays.'],
    },
    'rules.md': { text: (_, words) => `- ${words}\n`, change: ['rules', 'add', 'Measure twice.'] },
    'project.md': {
      text: (_, words) => `# Project\n\n${words}\n`,
      change: ['page', 'set', 'project', '--append', '--text', 'More.'],
    },
    'config.json': {
      text: (_, words) => JSON.stringify({ saveInterval: 77, note: words }),
      change: ['config', 'set', 'saveInterval', '78'],
    },
  }

export async function runEncodings(): Promise<boolean> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-encodings-'))
  try {
    const rows: string[] = []
    let isGood = true
    for (const [encoding, given] of Object.entries(ENCODINGS))
      for (const file of Object.keys(FILES)) {
        const wrong = await saveOne(path.join(dir, `${rows.length}`), file, given)
        isGood &&= wrong.length === 0
        rows.push(`| ${encoding} | ${file} | ${wrong.join('; ') || 'nothing'} |`)
      }
    console.log(`| saved in | file | wrong |\n|---|---|---|\n${rows.join('\n')}`)
    return isGood
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function saveOne(
  dir: string,
  name: string,
  { encode, words, isText }: { encode: Encode; words: string; isText: boolean },
): Promise<string[]> {
  mkdirSync(dir)
  const project = makeProject(dir, { summarizer: 'extractive' })
  const now = Date.now()
  await liveSession(project, sessionOf(project, 1, now - 7_200_000))
  const file = path.join(project.memory, name)
  const given = FILES[name]
  if (given === undefined) return ['no such file']
  const bytes = encode(given.text(existsSync(file) ? readFileSync(file, 'utf8') : '', words))
  writeFileSync(file, bytes)
  const doctor = run(project, 'cli.cjs', ['doctor', '--project', project.root], now)
  const changed = run(project, 'cli.cjs', [...given.change, '--project', project.root], now)
  const lived = [
    await liveSession(project, sessionOf(project, 2, now - 3_600_000)),
    await liveSession(project, sessionOf(project, 3, now - 1_800_000)),
  ]
  const names = readdirSync(project.memory).filter((one) => one === name || one.startsWith(`${name}.broken-`))
  const kept = names.map((one) => readFileSync(path.join(project.memory, one)))
  const isSame = kept.some((one) => one.equals(bytes))
  if (isText) return kept.some((one) => one.includes(words)) || isSame ? [] : ['the words are in no file']
  // What is no text may also refuse the change: then the file stays as it is.
  const isAside = names.some((one) => one !== name)
  return [
    ...(isSame ? [] : ['the bytes are in no file']),
    ...(changed.status === 0 || !isAside ? [] : ['changed and refused']),
    ...(`${doctor.stdout}${doctor.stderr}`.includes(name) ? [] : ['doctor does not name it']),
    ...(!isAside || lived.some(({ start }) => start.stdout.includes('.broken-')) ? [] : ['no start says it']),
  ]
}

function sessionOf({ root }: Project, n: number, at: number): Session {
  const id = `${(0xb0000000 + n).toString(16)}-0000-4000-8000-${String(n).padStart(12, '0')}`
  return { id, at, turns: [1, 2].map((turn) => writeTurn(id, root, at + turn * 60_000, `k${n}x${turn}`, WORDS)) }
}

function replaced(bytes: Buffer, part: Buffer, by: Buffer): Buffer {
  const at = bytes.indexOf(part)
  return at < 0 ? bytes : Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + part.length)])
}
