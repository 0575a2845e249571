/** `doctor`: whether all is well, and what to do when it is not. */
import path from 'node:path'
import { LOCK_FILE, LOG_FILE, LOGS_DIR, SESSIONS_DIR, STATE_FILE } from '../core/layout.ts'
import { createRedactor, redactorFor } from '../core/redact.ts'
import { allSessions } from '../core/state.ts'
import { transcriptsBehind } from '../store/catch-up.ts'
import { factsOf, freeBytes, isWritable, list, readText, sizeOf } from '../store/files.ts'
import { readHookTimes } from '../store/journal.ts'
import { findSecrets } from '../store/scrub.ts'
import type { Store } from '../store/store.ts'
import type { Context } from './context.ts'
import { checkMigration, checkStanding } from './doctor-memory.ts'
import {
  type Check,
  checkBackground,
  checkCap,
  checkClaudeMd,
  checkFacts,
  checkMemory,
  checkWaiting,
} from './doctor-notes.ts'
import { checkEmbedder, checkIndex } from './doctor-search.ts'
import { bad, bytes, count, good, warning } from './output.ts'
import { COVERED, damagedFiles, hasTranscripts, NO_TRANSCRIPTS, onlyInVault } from './status.ts'

const LOW_DISK_BYTES = 200_000_000

export function runDoctor(context: Context): number {
  const { store } = context
  const now = context.world.now()
  const checks = [
    checkNode(context),
    attempt('memory', () => checkStanding(store)),
    attempt('earlier version', () => checkMigration(store, now)),
    attempt('writable', () => checkWritable(store)),
    attempt('disk', () => checkDisk(store)),
    attempt('state', () => checkState(store)),
    attempt('lock', () => checkLock(store)),
    attempt('config', () => checkConfig(store)),
    attempt('hooks', () => checkHooks(store, now)),
    attempt('coverage', () => checkCoverage(store)),
    attempt('session files', () => checkFiles(store)),
    attempt('unreadable lines', () => checkBadLines(store)),
    attempt('memory.md', () => checkMemory(store)),
    attempt('facts', () => checkFacts(store)),
    attempt('search index', () => checkIndex(store)),
    attempt('embedder', () => checkEmbedder(store)),
    attempt('waiting notes', () => checkWaiting(store, now)),
    attempt('background notes', () => checkBackground(store, now)),
    attempt('daily cap', () => checkCap(store, now)),
    attempt('CLAUDE.md', () => checkClaudeMd(store)),
    attempt('secrets', () => checkSecrets(store)),
    attempt('vault', () => checkVault(store)),
    attempt('log', () => checkLog(store)),
  ]
  const problems = checks.filter((check) => check.verdict === 'problem').length
  const warnings = checks.filter((check) => check.verdict === 'warning').length
  context.out.json({ checks, problems })
  const sign = { ok: good('ok     '), warning: warning('warning'), problem: bad('problem') }
  context.out.say(
    ...checks.flatMap((check) => [
      `${sign[check.verdict]}  ${check.name}: ${check.finding}`,
      ...(check.fix ? [`         → ${check.fix}`] : []),
    ]),
    problems + warnings === 0 ? good('all is well') : `${count(problems, 'problem')}, ${count(warnings, 'warning')}`,
  )
  return problems === 0 ? 0 : 1
}

/** A check that fails is a finding too: the doctor must not fall ill. */
function attempt(name: string, check: () => Check): Check {
  try {
    return check()
  } catch (error) {
    return {
      name,
      verdict: 'problem',
      finding: (error as Error).message,
      fix: 'make the file readable and writable for you, then look again',
    }
  }
}

function checkNode({ world }: Context): Check {
  const [major = 0, minor = 0] = world.nodeVersion.replace(/^v/, '').split('.').map(Number)
  const enough = major > 20 || (major === 20 && minor >= 19)
  return enough
    ? { name: 'node', verdict: 'ok', finding: world.nodeVersion }
    : {
        name: 'node',
        verdict: 'problem',
        finding: `${world.nodeVersion} is too old`,
        fix: 'install Node 20.19 or newer',
      }
}

function checkWritable(store: Store): Check {
  const { keeperDir } = store.places
  if (!isWritable(nearest(keeperDir))) {
    return {
      name: 'writable',
      verdict: 'problem',
      finding: `${keeperDir} cannot be written: settings, vault and the record of what is yours have no place`,
      fix: 'make it writable, or set CLAUDE_CONFIG_DIR to a directory that is',
    }
  }
  const dir = factsOf(store.dir) === null ? store.places.project.root : store.dir
  if (isWritable(dir)) return { name: 'writable', verdict: 'ok', finding: 'yes' }
  return {
    name: 'writable',
    verdict: 'warning',
    finding: `${dir} cannot be written`,
    fix: `make it writable; until then sessions are kept in ${store.places.atHome}`,
  }
}

/** The directory itself, or the one above it that is there. */
function nearest(dir: string): string {
  return factsOf(dir) !== null || path.dirname(dir) === dir ? dir : nearest(path.dirname(dir))
}

function checkDisk(store: Store): Check {
  const free = freeBytes(factsOf(store.dir) === null ? store.places.project.root : store.dir)
  if (free === null || free > LOW_DISK_BYTES)
    return { name: 'disk', verdict: 'ok', finding: free === null ? 'unknown' : `${bytes(free)} free` }
  return {
    name: 'disk',
    verdict: 'problem',
    finding: `only ${bytes(free)} free`,
    fix: 'make room: what cannot be written is captured later, as long as the transcript is there',
  }
}

function checkState(store: Store): Check {
  const broken = list(store.dir).filter((name) => name.startsWith(`${STATE_FILE}.broken-`))
  if (broken.length === 0) return { name: 'state', verdict: 'ok', finding: 'readable' }
  return {
    name: 'state',
    verdict: 'warning',
    finding: `was broken once: ${broken.join(', ')}`,
    fix: 'memory-keeper verify; then delete the files set aside',
  }
}

function checkLock(store: Store): Check {
  const lock = factsOf(path.join(store.dir, LOCK_FILE))
  return {
    name: 'lock',
    verdict: 'ok',
    finding: lock === null ? 'free' : `held: ${readText(path.join(store.dir, LOCK_FILE))}`,
  }
}

function checkConfig(store: Store): Check {
  const { badPatterns } = createRedactor({
    enabled: true,
    extraPatterns: store.config.redactPatterns as readonly string[],
  })
  const warnings = [
    ...store.configWarnings,
    ...badPatterns.map((pattern) => `redactPatterns: ${pattern} cannot be used`),
  ]
  if (warnings.length === 0) return { name: 'config', verdict: 'ok', finding: 'valid' }
  return {
    name: 'config',
    verdict: 'warning',
    finding: warnings.join('; '),
    fix: 'memory-keeper config list shows what is in force, memory-keeper config set changes it',
  }
}

function checkHooks(store: Store, now: string): Check {
  const last = readHookTimes(store.dir).at(-1)
  if (!last)
    return {
      name: 'hooks',
      verdict: 'warning',
      finding: 'none has run in this project yet',
      fix: 'is the plugin enabled? claude plugin list',
    }
  const days = Math.floor((Date.parse(now) - Date.parse(last.at)) / 86_400_000)
  return {
    name: 'hooks',
    verdict: 'ok',
    finding: `last ${last.event} ${days === 0 ? 'today' : `${count(days, 'day')} ago`}`,
  }
}

function checkCoverage(store: Store): Check {
  const behind = transcriptsBehind(store).length
  if (behind === 0)
    return { name: 'coverage', verdict: 'ok', finding: hasTranscripts(store) ? COVERED : NO_TRANSCRIPTS }
  return {
    name: 'coverage',
    verdict: 'warning',
    finding: `${count(behind, 'transcript')} to catch up`,
    fix: 'memory-keeper import',
  }
}

function checkFiles(store: Store): Check {
  const damaged = damagedFiles(store)
  if (damaged.length === 0) return { name: 'session files', verdict: 'ok', finding: 'whole' }
  return {
    name: 'session files',
    verdict: 'warning',
    finding: `gone or changed since written: ${damaged.join(', ')}`,
    fix: 'memory-keeper restore brings back what is gone, memory-keeper import mends; memory-keeper verify tells what is missing',
  }
}

function checkBadLines(store: Store): Check {
  const lines = allSessions(store.readState()).reduce((sum, [, session]) => sum + session.badLines, 0)
  if (lines === 0) return { name: 'unreadable lines', verdict: 'ok', finding: '0 skipped' }
  return {
    name: 'unreadable lines',
    verdict: 'warning',
    finding: `${lines} skipped`,
    fix: 'nothing to do: they were damaged in the transcript already, all others are captured',
  }
}

function checkSecrets(store: Store): Check {
  const files = findSecrets(store, redactorFor({ ...store.config, redaction: true }))
  if (files.length === 0) return { name: 'secrets', verdict: 'ok', finding: 'none found in the files' }
  return {
    name: 'secrets',
    verdict: 'problem',
    finding: `${count(files.length, 'file')} with what looks like a secret`,
    fix: 'memory-keeper scrub',
  }
}

function checkVault(store: Store): Check {
  const state = sizeOf(path.join(store.places.vault, STATE_FILE))
  if (store.dir !== store.places.inProject)
    return { name: 'vault', verdict: 'ok', finding: 'not needed, memory is stored at home' }
  const lost = list(path.join(store.dir, SESSIONS_DIR)).length === 0 ? onlyInVault(store) : 0
  if (lost > 0)
    return {
      name: 'vault',
      verdict: 'warning',
      finding: `${count(lost, 'session')} that the project lost`,
      fix: 'memory-keeper restore; the next session does it too',
    }
  return {
    name: 'vault',
    verdict: 'ok',
    finding: state === null ? 'still empty, filled when a session ends' : store.places.vault,
  }
}

function checkLog(store: Store): Check {
  const file = path.join(store.places.keeperDir, LOGS_DIR, LOG_FILE)
  const last = readText(file)?.trim().split('\n').at(-1)
  if (!last) return { name: 'log', verdict: 'ok', finding: 'nothing went wrong' }
  return {
    name: 'log',
    verdict: 'warning',
    finding: `last entry: ${last}`,
    fix: `look into ${file}; delete it when it is settled`,
  }
}
