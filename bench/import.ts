/** How long does an import of 10,000 sessions take, and does memory depend on the size of a transcript? `-- import 100 1000`: 100 MB and 1,000 sessions. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cleanEnv } from './support/measure.ts'
import { sessionId, writeTranscript } from './support/sample.ts'

const CLI = path.resolve('plugin/dist/cli.cjs')
const LARGEST_MB = Number(process.argv[2] ?? 1000)
const SESSIONS = Number(process.argv[3] ?? 10_000)
const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))
const report = path.join(dir, 'report.cjs')
writeFileSync(
  report,
  "process.on('exit',()=>require('fs').writeFileSync(process.env.MK_REPORT,String(process.resourceUsage().maxRSS)))",
)

try {
  console.log(`node ${process.version}\n`)
  console.log(
    '| import | MB | seconds | MB/s | ratio to JSON.parse of all lines | most memory, MB |\n|---|--:|--:|--:|--:|--:|',
  )
  const many = Array.from({ length: SESSIONS }, (_, n) => makeTranscript('many', n, 20_000))
  console.log(measure(`${SESSIONS.toLocaleString('en')} sessions`, 'many', many))
  rmSync(path.join(dir, 'many'), { recursive: true, force: true })
  for (const mb of [1, 10, 100, LARGEST_MB]) {
    console.log(measure(`one transcript of ${mb} MB`, `one${mb}`, [makeTranscript(`one${mb}`, 1, mb * 1_000_000)]))
    rmSync(path.join(dir, `one${mb}`), { recursive: true, force: true })
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}

function makeTranscript(world: string, n: number, bytes: number): string {
  const project = path.join(dir, world, 'project')
  mkdirSync(project, { recursive: true })
  const slug = project.replace(/[^a-zA-Z0-9]/g, '-')
  const file = path.join(dir, world, 'home', '.claude', 'projects', slug, `${sessionId(n)}.jsonl`)
  writeTranscript(file, sessionId(n), project, bytes, n * 1000)
  return file
}

function measure(name: string, world: string, files: readonly string[]): string {
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  const began = performance.now()
  const env = cleanEnv({ HOME: path.join(dir, world, 'home'), MK_REPORT: path.join(dir, 'rss') })
  const args = ['--require', report, CLI, 'import', '--json', '--project', path.join(dir, world, 'project')]
  const done = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  const seconds = (performance.now() - began) / 1000
  if (done.status !== 0) throw new Error(done.stderr)
  const { bytesIn } = JSON.parse(done.stdout) as { bytesIn: number }
  if (bytesIn !== bytes) throw new Error(`read ${bytesIn} of ${bytes} bytes`)
  const rss = Number(readFileSync(path.join(dir, 'rss'), 'utf8')) / 1024
  const ratio = parseSeconds(files) / seconds
  return `| ${name} | ${(bytes / 1e6).toFixed(0)} | ${seconds.toFixed(2)} | ${(bytes / 1e6 / seconds).toFixed(0)} | ${ratio.toFixed(2)} | ${rss.toFixed(0)} |`
}

/** The same bytes read in pieces and parsed line by line, in this process. */
function parseSeconds(files: readonly string[]): number {
  const began = performance.now()
  for (const file of files) {
    const code = `const fs=require('fs');const fd=fs.openSync(process.argv[1],'r');let rest='';const b=Buffer.alloc(4194304);for(;;){const n=fs.readSync(fd,b,0,b.length,null);if(n===0)break;const lines=(rest+b.toString('utf8',0,n)).split('\\n');rest=lines.pop();for(const l of lines)JSON.parse(l)}`
    if (files.length === 1) spawnSync(process.execPath, ['-e', code, file], { env: cleanEnv() })
    else for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') JSON.parse(line)
  }
  return (performance.now() - began) / 1000
}
