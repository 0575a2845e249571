/** A program named claude that answers as the test wants, one answer per call, and remembers what it was asked. */
import fs from 'node:fs'
import path from 'node:path'

/** What it says: a note, an object of the form it is asked for, a failure of the host in its own words, or a way to die. */
export type Answer =
  | { note: string }
  | { object: object }
  | { failsWith: string; status: number | null }
  | { dies: number }

export interface FakeClaude {
  /** For PATH. */
  bin: string
  /** Without audits. */
  calls(): Asked[]
  audits(): Asked[]
}

interface Asked {
  argv: string[]
  stdin: string
}

/** An auditor says yes to every claim, but for those that contain one of these texts. `fails`: to nothing, in this way. */
export interface Auditor {
  no?: string[]
  unclear?: string[]
  fails?: Answer
}

const PROGRAM = `
const fs = require('fs')
const dir = __dirname
const argv = process.argv.slice(2)
const stdin = fs.readFileSync(0, 'utf8')
const isAudit = argv.at(-1) === 'Audit these claims.'
const log = dir + (isAudit ? '/audits.jsonl' : '/calls.jsonl')
const calls = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\\n').length : 0
fs.appendFileSync(log, JSON.stringify({ argv, stdin }) + '\\n')
const { answers, auditor } = JSON.parse(fs.readFileSync(dir + '/answers.json', 'utf8'))
const verdictOf = (text) => (auditor.no ?? []).some((one) => text.includes(one)) ? 'no' : (auditor.unclear ?? []).some((one) => text.includes(one)) ? 'unclear' : 'yes'
const verdicts = [...stdin.matchAll(/^claim (\\d+): (.*)$/gm)].map(([, n, text]) => ({ n: Number(n), verdict: verdictOf(text) }))
const answer = isAudit ? (auditor.fails ?? { object: { verdicts } }) : answers[Math.min(calls, answers.length - 1)]
const result = { type: 'result', subtype: 'success', total_cost_usd: 0.002, usage: { input_tokens: 900, output_tokens: 80 } }
if ('dies' in answer) process.exit(answer.dies)
if ('note' in answer) console.log(JSON.stringify({ ...result, is_error: false, result: answer.note }))
else if ('object' in answer) console.log(JSON.stringify({ ...result, is_error: false, result: JSON.stringify(answer.object), structured_output: answer.object }))
else {
  console.log(JSON.stringify({ ...result, is_error: true, api_error_status: answer.status, result: answer.failsWith }))
  process.exitCode = 1
}
`

/** The last answer is given again and again. */
export function fakeClaude(dir: string, answers: readonly Answer[], auditor: Auditor = {}): FakeClaude {
  const bin = path.join(dir, 'bin')
  fs.mkdirSync(bin, { recursive: true })
  fs.writeFileSync(path.join(bin, 'claude'), `#!${process.execPath}${PROGRAM}`, { mode: 0o755 })
  fs.writeFileSync(path.join(bin, 'answers.json'), JSON.stringify({ answers, auditor }))
  const read = (name: string): Asked[] => {
    const log = path.join(bin, name)
    if (!fs.existsSync(log)) return []
    const lines = fs.readFileSync(log, 'utf8').trim().split('\n')
    return lines.map((line) => JSON.parse(line) as Asked)
  }
  return { bin, calls: () => read('calls.jsonl'), audits: () => read('audits.jsonl') }
}
