/** Every kind of file that docs/FILES.md names, and the ways in which one breaks: for the unit tests and for `npm run bench -- faults`. */
import fs from 'node:fs'
import path from 'node:path'

/** The directories of one project's memory. */
export interface BrokenPlaces {
  /** `<project>/.claude/memory`. */
  memory: string
  /** `~/.claude/memory-keeper`. */
  keeper: string
  /** `~/.cache/memory-keeper`. */
  cache: string
  /** `<name>-<hash>`: names the project below home. */
  key: string
}

export interface BrokenKind {
  /** As docs/FILES.md spells it. */
  kind: string
  in: 'memory' | 'keeper' | 'cache'
  /** A name, or a pattern that matches paths below the directory, with slashes. */
  files: RegExp
  /** Which file stands there where the project has none. */
  name: string
  /**
   * What a broken one means. `kept`: its words are nowhere else, so a copy must stay, and doctor names it. `healed`: the program writes it
   * again from its remains and the vault's copy. `remade`: the program writes it again from other files, or does without it. `closes`: the
   * memory in the project is not read until a person has looked; sessions are kept at home, and doctor names it.
   */
  is: 'kept' | 'healed' | 'remade' | 'closes'
}

function kind(
  place: BrokenKind['in'],
  spelled: string,
  name: string,
  is: BrokenKind['is'],
  files = new RegExp(`^${escaped(name)}$`),
): BrokenKind {
  return { kind: spelled, in: place, files, name, is }
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

const STAMP = '20260113_120000'
const SESSION = String.raw`^sessions/\d{8}_\d{6}_[0-9a-z]{8}`

export const BROKEN_KINDS: readonly BrokenKind[] = [
  kind(
    'memory',
    'sessions/YYYYMMDD_HHMMSS_<id8>.l1.jsonl',
    `sessions/${STAMP}_1a2b3c4d.l1.jsonl`,
    'remade',
    new RegExp(`${SESSION}\\.l1\\.jsonl$`),
  ),
  kind('memory', 'sessions/….md', `sessions/${STAMP}_1a2b3c4d.md`, 'remade', new RegExp(`${SESSION}\\.md$`)),
  kind(
    'memory',
    'sessions/….l2.json',
    `sessions/${STAMP}_1a2b3c4d.l2.json`,
    'remade',
    new RegExp(`${SESSION}\\.l2\\.json$`),
  ),
  kind('memory', 'sessions/….before-0.7', 'sessions/week-2025-50.md.before-0.7', 'kept', /\.before-0\.7$/),
  kind('memory', 'sessions/week-YYYY-WW.md', 'sessions/week-2026-02.md', 'remade', /^sessions\/week-\d{4}-\d\d\.md$/),
  kind(
    'memory',
    'sessions/archive/YYYY-MM.md',
    'sessions/archive/2025-12.md',
    'remade',
    /^sessions\/archive\/\d{4}-\d\d\.md$/,
  ),
  kind(
    'memory',
    'sessions/archive/….l1.jsonl.gz',
    `sessions/archive/${STAMP}_1a2b3c4d.l1.jsonl.gz`,
    'kept',
    /^sessions\/archive\/.*\.l1\.jsonl\.gz$/,
  ),
  kind(
    'memory',
    'sessions/….raw.jsonl.gz',
    `sessions/${STAMP}_1a2b3c4d.raw.jsonl.gz`,
    'kept',
    /^sessions\/.*\.raw\.jsonl\.gz$/,
  ),
  kind('memory', 'memory.md', 'memory.md', 'kept'),
  kind('memory', 'memory_YYYYMMDD_HHMMSS.md', `memory_${STAMP}.md`, 'kept', /^memory_\d{8}_\d{6}(?:_\d+)?\.md$/),
  kind('memory', 'memory_….summary.json', `memory_${STAMP}.summary.json`, 'kept', /^memory_.*\.summary\.json$/),
  kind('memory', 'facts.json', 'facts.json', 'healed'),
  kind('memory', 'concepts.json', 'concepts.json', 'healed'),
  kind('memory', 'delta_temp.txt', 'delta_temp.txt', 'remade'),
  kind('memory', 'rules.md', 'rules.md', 'kept'),
  kind('memory', 'project.md', 'project.md', 'kept'),
  kind('memory', 'memory-index.json', 'memory-index.json', 'remade'),
  kind(
    'memory',
    'sessions/settled/YYYY-MM.jsonl',
    'sessions/settled/2026-01.jsonl',
    'remade',
    /^sessions\/settled\/.*\.jsonl$/,
  ),
  kind('memory', 'config.json', 'config.json', 'kept'),
  kind('memory', 'notices.json', 'notices.json', 'remade'),
  kind('memory', 'journal/hooks.jsonl', 'journal/hooks.jsonl', 'remade'),
  kind(
    'memory',
    'journal/briefings/<session>.txt',
    'journal/briefings/x.txt',
    'remade',
    /^journal\/briefings\/.*\.txt$/,
  ),
  kind('memory', '….why.json', 'journal/briefings/x.why.json', 'remade', /^journal\/briefings\/.*\.why\.json$/),
  kind('memory', 'journal/rules/<fingerprint>.txt', 'journal/rules/x.txt', 'remade', /^journal\/rules\/.*\.txt$/),
  kind('memory', 'journal/recall-texts.jsonl', 'journal/recall-texts.jsonl', 'remade'),
  kind('memory', 'journal/undo.jsonl', 'journal/undo.jsonl', 'remade'),
  kind('memory', 'forgotten.jsonl', 'forgotten.jsonl', 'kept'),
  kind('memory', 'journal/previewed.json', 'journal/previewed.json', 'remade'),
  kind(
    'memory',
    'shared/<who>/{memory.md,facts.jsonl,concepts.jsonl}',
    'shared/bob/memory.md',
    'remade',
    /^shared\/[^/]+\/.*$/,
  ),
  kind('memory', 'journal/recalls.jsonl', 'journal/recalls.jsonl', 'remade'),
  kind('memory', 'journal/git-check.json', 'journal/git-check.json', 'remade'),
  kind('memory', 'journal/migrated.json', 'journal/migrated.json', 'remade'),
  kind('memory', 'journal/claude-md.json', 'journal/claude-md.json', 'remade'),
  kind('memory', '.owner', '.owner', 'closes'),
  kind('memory', '.gitignore', '.gitignore', 'remade'),
  kind('memory', '.lock', '.lock', 'remade'),
  kind('memory', '*.broken-<stamp>', 'facts.json.broken-20260101000000', 'remade', /\.broken-/),
  kind('keeper', 'config.json', 'config.json', 'remade'),
  kind('keeper', 'projects/<name>-<hash>/', 'projects/KEY/memory-index.json', 'remade', /^projects\/KEY\/.*$/),
  kind('keeper', 'vault/<name>-<hash>/', 'vault/KEY/memory.md', 'remade', /^vault\/KEY\/.*$/),
  kind('keeper', 'trust/<name>-<hash>.json', 'trust/KEY.json', 'closes'),
  kind('keeper', 'trust/<name>-<hash>.git.json', 'trust/KEY.git.json', 'remade'),
  kind('keeper', '….answers.json', 'trust/KEY.answers.json', 'remade'),
  kind('keeper', '….shared.json', 'trust/KEY.shared.json', 'remade'),
  kind('keeper', 'team/team.json', 'team/team.json', 'remade'),
  kind('keeper', 'team/<name>-<hash>.outbox.json', 'team/KEY.outbox.json', 'remade'),
  kind('keeper', 'others/<name>-<hash>/team/rows-0001.jsonl', 'others/KEY/team/rows-0001.jsonl', 'remade'),
  kind('keeper', 'finishers/<name>-<hash>/', 'finishers/KEY/x.job', 'remade', /^finishers\/KEY\/.*$/),
  kind('keeper', 'finishers/<name>-<hash>.json', 'finishers/KEY.json', 'remade'),
  kind('keeper', 'paused/<name>-<hash>.json', 'paused/KEY.json', 'remade'),
  kind('keeper', 'servers/<name>-<hash>/', 'servers/KEY/x.json', 'remade', /^servers\/KEY\/.*$/),
  kind('keeper', 'others/<name>-<hash>/machine/<id>.jsonl', 'others/KEY/machine/x.jsonl', 'remade'),
  kind(
    'keeper',
    'others/<name>-<hash>/sessions/',
    `others/KEY/sessions/${STAMP}_5a5b5c5d.l1.jsonl`,
    'remade',
    /^others\/KEY\/sessions\/.*$/,
  ),
  kind('keeper', 'sync/machine.key', 'sync/machine.key', 'remade'),
  kind('keeper', 'sync/machine.json', 'sync/machine.json', 'remade'),
  kind('keeper', 'sync/repo.git/', 'sync/repo.git/HEAD', 'remade', /^sync\/repo\.git\/.*$/),
  kind('keeper', 'bundle.key', 'bundle.key', 'remade'),
  kind('keeper', 'notices.json', 'notices.json', 'remade'),
  kind(
    'keeper',
    'backups/<name>-<hash>-<stamp>/',
    'backups/KEY-20260101000000/manifest.json',
    'remade',
    /^backups\/KEY-.*$/,
  ),
  kind('cache', 'compiled/<program>-<build>-<node>.bin', 'compiled/hook-main-1-1.bin', 'remade', /^compiled\/.*\.bin$/),
  kind('keeper', 'model-calls.jsonl', 'model-calls.jsonl', 'remade'),
  kind('keeper', 'headless.json', 'headless.json', 'remade'),
  kind('keeper', 'dashboard-<pid>.html', 'dashboard-1.html', 'remade'),
  kind('keeper', 'dashboard.key', 'dashboard.key', 'remade'),
  kind('keeper', 'frame.key', 'frame.key', 'remade'),
  kind('keeper', 'headless.lock', 'headless.lock', 'remade'),
  kind('keeper', 'headless-child.json', 'headless-child.json', 'remade'),
  kind('keeper', 'logs/memory-keeper.log', 'logs/memory-keeper.log', 'remade'),
  kind('cache', 'index/<hash>/', 'index/x/manifest.json', 'remade', /^index\/.*$/),
  kind('cache', 'rows/<hash>', 'rows/x', 'remade', /^rows\/.*$/),
  kind('cache', 'briefings/<hash>', 'briefings/x', 'remade', /^briefings\/.*$/),
]

/** What becomes of a file that is there. */
export const BROKEN_WAYS = {
  empty: (file: string) => fs.writeFileSync(file, ''),
  cut: (file: string) => fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2)),
  /** As long as before, and none of its bytes. */
  garbled: (file: string) => {
    const { size } = fs.statSync(file)
    fs.writeFileSync(file, Buffer.from(Array.from({ length: size }, (_, i) => (i * 197 + (i >> 3) * 31 + 129) % 256)))
  },
  removed: (file: string) => fs.rmSync(file),
  directory: (file: string) => {
    fs.rmSync(file)
    fs.mkdirSync(file)
    fs.writeFileSync(path.join(file, 'inside.txt'), 'somebody put this here\n')
  },
} satisfies Record<string, (file: string) => void>

export type BrokenWay = keyof typeof BROKEN_WAYS

/** The files of this kind that there are; where there is none, the one that could be. */
export function filesOfKind(places: BrokenPlaces, { in: place, files, name }: BrokenKind): string[] {
  const dir = places[place]
  const of = new RegExp(files.source.replaceAll('KEY', escaped(places.key)))
  const all = fs.existsSync(dir) ? fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }) : []
  const found = all
    .filter((one) => of.test(one.split(path.sep).join('/')))
    .map((one) => path.join(dir, one))
    .filter((file) => fs.lstatSync(file).isFile())
  return found.length > 0 ? found.sort() : [path.join(dir, ...name.replaceAll('KEY', places.key).split('/'))]
}

/** Breaks it. A file that is not there is made first: whatever is not known is as broken as can be. */
export function breakFile(file: string, way: BrokenWay): void {
  if (!fs.existsSync(file)) {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, 'nobody of ours wrote this\n'.repeat(20))
  }
  BROKEN_WAYS[way](file)
}
