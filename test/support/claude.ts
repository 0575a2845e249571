/** A program named claude that answers as the test wants, one answer per call, and remembers what it was asked. */
import fs from 'node:fs'
import path from 'node:path'
import { type CallSurroundings, noteNoticed } from '../../src/core/model/disk/model-call.ts'
import type { Store } from '../../src/kernel/memory/disk/store.ts'
import { NOW, now, storeOf, type TestProject } from './project.ts'

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

export interface Stage {
  project: TestProject
  store: Store
  claude: FakeClaude
  around: CallSurroundings
}

/** A project whose user knows of the child, and the child. */
export function stageIn(project: TestProject, answers: readonly Answer[], auditor: Auditor = {}): Stage {
  noteNoticed(project.keeper, 'model', NOW)
  const claude = fakeClaude(project.base, answers, auditor)
  const env = { PATH: claude.bin }
  const around = { env, platform: process.platform, tempDir: project.base, hostPid: null, now, isLate: () => false }
  return { project, store: storeOf(project), claude, around }
}

/** An auditor says yes to every claim, but for those that contain one of these texts. `fails`: to nothing, in this way. */
export interface Auditor {
  no?: string[]
  unclear?: string[]
  fails?: Answer
}

/** In shell: Node takes ten times as long to start, and the tests start hundreds of them. */
const PROGRAM = `
PATH=/bin:/usr/bin
dir=\${0%/*}
for last; do :; done
kind=call
[ "$last" = 'Audit these claims.' ] && kind=audit
n=1
while [ -e "$dir/$kind-$n.stdin" ]; do n=$((n + 1)); done
cat > "$dir/$kind-$n.stdin"
printf '%s\\0' "$@" > "$dir/$kind-$n.argv"
. "$dir/answers.sh"
`

const RESULT = {
  ...{ type: 'result', subtype: 'success', total_cost_usd: 0.002 },
  usage: { input_tokens: 900, output_tokens: 80 },
}

/** The last answer is given again and again. */
export function fakeClaude(dir: string, answers: readonly Answer[], auditor: Auditor = {}): FakeClaude {
  const bin = path.join(dir, 'bin')
  fs.mkdirSync(bin, { recursive: true })
  fs.writeFileSync(path.join(bin, 'claude'), `#!/bin/sh${PROGRAM}`, { mode: 0o755 })
  const said = answers.map((answer, i) => `${i === answers.length - 1 ? '*' : `call-${i + 1}`}) ${sayIn(answer)};;`)
  const audit = auditor.fails === undefined ? auditIn(auditor) : sayIn(auditor.fails)
  fs.writeFileSync(path.join(bin, 'answers.sh'), `case $kind-$n in\naudit-*) ${audit};;\n${said.join('\n')}\nesac\n`)
  const read = (name: string): string => fs.readFileSync(path.join(bin, name), 'utf8')
  const asked = (kind: string): Asked[] => {
    const count = fs.readdirSync(bin).filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.argv')).length
    return Array.from({ length: count }, (_, i) => ({
      argv: read(`${kind}-${i + 1}.argv`)
        .split('\0')
        .slice(0, -1),
      stdin: read(`${kind}-${i + 1}.stdin`),
    }))
  }
  return { bin, calls: () => asked('call'), audits: () => asked('audit') }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const print = (answer: object): string => `printf '%s\\n' ${quoted(JSON.stringify({ ...RESULT, ...answer }))}`

/** The shell's words for an answer. */
function sayIn(answer: Answer): string {
  if ('dies' in answer) return `exit ${answer.dies}`
  if ('note' in answer) return print({ is_error: false, result: answer.note })
  if ('object' in answer) {
    return print({ is_error: false, result: JSON.stringify(answer.object), structured_output: answer.object })
  }
  return `${print({ is_error: true, api_error_status: answer.status, result: answer.failsWith })}; exit 1`
}

/** One verdict for each line `claim 1: …`. */
function auditIn({ no = [], unclear = [] }: Auditor): string {
  const cases = [
    ...no.map((text) => `*${quoted(text)}*) verdict=no;;`),
    ...unclear.map((text) => `*${quoted(text)}*) verdict=unclear;;`),
  ]
  const answer = { ...RESULT, is_error: false, result: 'As asked.', structured_output: { verdicts: ['%s'] } }
  return `verdicts=
while IFS= read -r claim; do
  number=\${claim#claim }
  case $claim in
    '') continue;;
    ${cases.join('\n    ')}
    *) verdict=yes;;
  esac
  verdicts="$verdicts\${verdicts:+,}{\\"n\\":\${number%%:*},\\"verdict\\":\\"$verdict\\"}"
done <<END
$(grep '^claim [0-9]*: ' "$dir/audit-$n.stdin")
END
printf ${quoted(`${JSON.stringify(answer).replace('"%s"', '%s')}\\n`)} "$verdicts"
`
}
