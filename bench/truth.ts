/**
 * How many falsehoods the audit lets through, and how many truths it refuses:
 * `npm run bench -- truth [--requests DIR] [--show] [--claims DIR]`.
 * Claims: bench/truth/claims.jsonl, or those of `--claims`, with the sessions that it names in DIR/sessions.
 * Verdicts beside them: verdicts-*.json, {"mark", "answers": {"001": [{"n", "verdict"}]}} for the
 * requests of that mark, or {"mark", "claims": {id: verdict}}, recorded for the requests of an earlier mark.
 */
import fs from 'node:fs'
import path from 'node:path'
import { allSessions } from '../src/kernel/memory/state.ts'
import { captureAll } from '../src/kernel/sessions/disk/capture.ts'
import { readSession } from '../src/kernel/sessions/disk/lineage.ts'
import { sessionIdOf } from '../src/kernel/sessions/disk/transcripts.ts'
import type { Numbered } from '../src/kernel/transcript/session.ts'
import { makePlace, now } from './support/corpus.ts'
import {
  type Answers,
  type ByClaim,
  byClaim,
  type LabelledClaim,
  prepareTruth,
  type Score,
  scoreTruth,
} from './support/truth.ts'

const args = process.argv.slice(2)
const DATA = option('--claims') ?? 'bench/truth'
const requestsDir = option('--requests')
const claimsFile = path.join(DATA, 'claims.jsonl')
const FOLDERS = [path.join(DATA, 'sessions'), 'bench/morning/sessions', '../shared/transcripts']
if (!fs.existsSync(claimsFile)) console.log(`skipped: no ${claimsFile}`)
else run(readClaims(claimsFile))

function run(claims: readonly LabelledClaim[]): void {
  const prepared = prepareTruth(claims, entriesOf)
  console.log(
    `${claims.length} claims (${claims.filter((one) => one.true).length} true) of ${new Set(claims.map(({ session }) => session)).size} sessions, ${prepared.requests.length} requests, mark ${prepared.mark}`,
  )
  const refusedTrue = claims.filter((one) => one.true && prepared.refused.has(one.id))
  console.log(`refused by the program: ${prepared.refused.size}, of them true: ${refusedTrue.length}`)
  for (const { id } of args.includes('--show') ? claims : refusedTrue)
    if (prepared.refused.has(id)) console.log(`  ${id}: ${prepared.refused.get(id)}`)
  if (requestsDir !== undefined) {
    fs.mkdirSync(requestsDir, { recursive: true })
    fs.writeFileSync(path.join(requestsDir, 'mark.txt'), `${prepared.mark}\n`)
    for (const { name, request } of prepared.requests)
      fs.writeFileSync(
        path.join(requestsDir, `${name}.txt`),
        `${request.system}\n\n${request.prompt}\n\n${request.stdin}\nAnswer with JSON of this form: ${JSON.stringify(request.schema)}\n`,
      )
    console.log(`the requests, without labels, are in ${requestsDir}`)
  }
  const files = fs.readdirSync(DATA).filter((name) => /^verdicts-.*\.json$/.test(name))
  for (const name of files) {
    const { mark, answers, claims: known } = JSON.parse(fs.readFileSync(path.join(DATA, name), 'utf8')) as Recorded
    if (known !== undefined) report(`${name} (requests of ${mark})`, scoreTruth(claims, prepared, known))
    else if (mark === prepared.mark) report(name, scoreTruth(claims, prepared, byClaim(prepared, answers ?? {})))
    else console.log(`${name}: recorded for other requests (${mark}); not counted`)
  }
}

function option(name: string): string | undefined {
  return args.includes(name) ? args[args.indexOf(name) + 1] : undefined
}

interface Recorded {
  mark: string
  answers?: Answers
  claims?: ByClaim
}

function report(name: string, score: Score): void {
  const { falsehoods, falseTold, falseStored, truths, trueRefused, trueStored, unanswered, isGood } = score
  const share = (some: readonly string[], all: number): string =>
    `${some.length} of ${all} (${percent(some.length, all)} %)`
  console.log(
    `${name}: falsehoods told ${share(falseTold, falsehoods)}, stored unaudited ${falseStored.length}; truths refused ${share(trueRefused, truths)}, stored unaudited ${trueStored.length}; unanswered ${unanswered.length}: ${isGood ? 'good' : 'NOT GOOD'}`,
  )
  if (falseTold.length > 0) console.log(`  told though false: ${falseTold.join(', ')}`)
  if (trueRefused.length > 0) console.log(`  refused though true: ${trueRefused.join(', ')}`)
  if (!isGood) process.exitCode = 1
}

function percent(part: number, all: number): string {
  return all === 0 ? '0' : ((100 * part) / all).toFixed(1)
}

function readClaims(file: string): LabelledClaim[] {
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as LabelledClaim)
}

/** Each transcript is captured by itself: sessions that share a beginning are no forks here. */
function entriesOf(session: string): Numbered[] {
  const transcript = FOLDERS.map((folder) => path.join(folder, session)).find((file) => fs.existsSync(file))
  if (transcript === undefined) throw new Error(`no transcript ${session} in ${FOLDERS.join(' or ')}`)
  const { store } = makePlace()
  const source = { session: sessionIdOf(transcript), transcript: path.resolve(transcript), isHistory: true }
  captureAll(store, [source], { waitMs: 20_000, now })
  const [found] = allSessions(store.readState())
  return found === undefined ? [] : readSession(store, found[1].file).map((entry, n) => ({ n, entry }))
}
