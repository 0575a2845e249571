/** Shell commands as a reader wants them: how much they matter, the part that tells, how they ended. */

import { shorten } from '../text/shorten.ts'
import { callOf, commandsOf } from '../transcript/digest-shell.ts'

const MAX_COMMAND = 120
const SHORT_COMMAND = 60
const MAX_OUTCOME = 110
/** Programs that only look. */
const LOOK =
  /^(?:ls|ll|la|dir|cat|bat|head|tail|less|more|nl|pwd|cd|pushd|popd|echo|printf|grep|egrep|fgrep|rg|ag|ack|find|fd|tree|wc|sort|uniq|cut|tr|column|jq|yq|file|stat|du|df|xxd|od|sleep|wait|true|false|:|which|whereis|type|command|date|whoami|id|env|printenv|export|set|unset|source|\.|test|\[|\[\[|ps|pgrep|top|lsof|history|clear|awk|sed|diff|cmp|md5sum|sha\d+sum|basename|dirname|realpath|readlink|for|while|if|do|done|then|else|fi|Get-\w+|Select-\w+|Write-\w+)$/
const LOOK_TWO =
  /^(?:git (?:status|log|diff|show|branch|rev-parse|remote|blame|grep|ls-files|ls-tree|cat-file|reflog|describe|merge-base|symbolic-ref|config --get|config -l|stash list|worktree list|fetch|check-ignore|shortlog)|gh (?:pr|issue|run|repo|release|workflow) (?:view|list|diff|checks|status|watch)|gh (?:api|auth status|search)|npm (?:ls|list|view|outdated|why|config)|pnpm (?:ls|list|why)|yarn (?:list|why)|pip3? (?:show|list|freeze|index)|uv pip (?:show|list)|cargo (?:tree|metadata)|docker (?:ps|images|logs|inspect)|kubectl (?:get|describe|logs)|brew (?:list|info)|systemctl status|\S+ (?:--version|-v|-V|--help|version|help)$)(?:\s|$)/
/** What a project lives by; matched against the program and its first words. */
const WEIGHTY =
  /\b(?:tests?|spec|pytest|vitest|jest|mocha|ctest|tox|nox|unittest|rspec|phpunit|playwright|cypress|e2e|bench|build|compile|tsc|make|cmake|ninja|gradlew?|mvnw?|msbuild|webpack|vite|rollup|esbuild|pdflatex|latexmk|lint|eslint|ruff|mypy|pyright|biome|prettier|clippy|vet|golangci-lint|typecheck|type-check|check|ci|verify|deploy|publish|release|migrate|migrations?|alembic|seed|install|add|sync|upgrade|update|push|commit|merge|rebase|cherry-pick|revert|tag|terraform|ansible|helm|kubectl|docker|compose|fly|vercel|netlify|wrangler|serverless|aws|gcloud|az|heroku|scp|rsync|psql|mysql|sqlite3|rollback|restart|bibtex)\b/
/** Nothing but tidying and getting ready. */
const LIGHT = /^(?:mkdir|touch|chmod|chown|kill|pkill|killall|ln|open|code|git (?:add|stash|checkout|switch|fetch))\b/
/** A pipe that only shows less of the output. */
const SHOWING = /^(?:tail|head|grep|rg|less|more|cat|tee|sort|uniq|wc|jq|sed|awk|cut|tr)\b/
const SILENCING = ['2>&1', '2>/dev/null', '2> /dev/null', '>/dev/null', '> /dev/null', '|| true', '|| :']
const FAILING =
  /\b(?:[1-9]\d*)\s+(?:tests? )?(?:failed|failing|failures?|errors?)\b|\bFAIL(?:ED|URES?)?\b(?!\s*[:=]?\s*0)|\berror\b\s*(?:TS\d+|\[E\d+\])?:|\bfatal:|\bTraceback\b|\bnpm ERR!|\bBUILD FAILED\b|✗|✘|❌/
const ERROR_LINE =
  /\b(?:error|fatal|failed|failure|exception|traceback|denied|refused|rejected|not found|cannot|can't|unable|invalid|undefined|unknown|missing|aborted|panic|timed? ?out|no such|conflict|required|not allowed|not permitted|forbidden|unauthorized|stale)\b|err!|✗|✘|❌|오류|실패|エラー|失败|错误|fehler/
const RESULT_LINE =
  /\b\d+\s+(?:tests?\s+)?(?:passed|passing|failed|failing|skipped|issues?|problems?|errors?|warnings?|files? changed|packages?)\b|\btests?:?\s+\d+|\btests? (?:passed|completed)\b|\ball (?:tests|checks)\b.*\bpass|\bsuccess(?:ful|fully)?\b|\bno issues\b|\bcompiled\b|\bbuilt in\b|\bdone in\b|\bpublished\b|\bdeployed\b|^\[[\w./-]+ (?:\(root-commit\) )?[0-9a-f]{7,}\]|통과|성공|완료/
/** Said by the host, not by the command. */
const HOST_LINE = /^(?:Exit code \d+|\(no output\)|Command running in background.*|Error:?)$/

/** A piece of JSON, a banner, or the way a program is called: nothing about how it ended. */
const DATA_LINE = /^[[{}\]]|^"[^"]*":|^usage:|^This is \S+, Version|^platform |^hint:/i

/** An error that says how this project or this machine is: the next one who tries should know. For lower-case text. */
const LESSON =
  /protected branch|\bgh006\b|pre-receive hook declined|through a pull request|non-fast-forward|permission denied|\beacces\b|\beperm\b|operation not permitted|access denied|forbidden|unauthori[sz]ed|authentication failed|cannot find (?:module|package)|module not found|modulenotfounderror|no module named|err_module_not_found|command not found|not recognized as|\beaddrinuse\b|address already in use|port(?: is)? already|port \d+ is|\benospc\b|no space left|not a git repository|econnrefused|connection refused|could not resolve host|quota|rate limit|unsupported engine|\beresolve\b|out of memory|is not set\b|not allowed (?:for|in|on|by)\b|externally-managed|missing (?:required |env)|requires? (?:node|python|java|rust|go)\b|권한이? 없|이미 사용 ?중|모듈을 찾을 수 없/

export function isLearnt(outcome: string): boolean {
  return LESSON.test(outcome.toLowerCase())
}

export type Weight = 0 | 1 | 2 | 3

/** 3: tests, builds, deployments, commits; 2: other work; 1: tidying; 0: only looking. */
export function weightOf(command: string): Weight {
  let best: Weight = 0
  for (const text of commandsOf(command)) {
    const words = callOf(text)
    const program = words.split(' ', 1)[0] ?? ''
    if (words === '' || LOOK.test(program) || LOOK_TWO.test(words)) continue
    const weight: Weight = LIGHT.test(words)
      ? 1
      : /^(?:node|python3?|ruby|perl|php|deno|bun) -[ecp]\b|^(?:rm|mv|cp)\b/.test(words)
        ? 1
        : WEIGHTY.test(words.split(' ').slice(0, 5).join(' ').toLowerCase())
          ? 3
          : 2
    if (weight > best) best = weight
  }
  return best
}

/** The whole command if it is short, else the part that tells most, ended at a boundary. */
export function tellingCommand(command: string): string {
  const whole = withoutFarDirectory(command.trim())
  if (whole.length <= MAX_COMMAND && !whole.includes('\n')) return whole
  const core = coreOf(whole)
  if (core.length <= MAX_COMMAND && !core.includes('\n')) return core
  const parts = commandsOf(core)
  const best = parts.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a), parts[0] ?? core)
  const text = shorten(finished(best), MAX_COMMAND)
  return text === core || text.endsWith(' …') ? text : `${text} …`
}

/** The first line, without a here-document or a quotation that goes on in the next ones. */
function finished(command: string): string {
  const line =
    command
      .slice(0, 4 * MAX_COMMAND)
      .split('\n', 1)[0]
      ?.trim() ?? ''
  const whole = line.replace(/\s+(?:-{1,2}[\w-]+[=\s]\s*)?(?:["']?\$\(cat\s*)?<<.*$/, '')
  const open = /^(?:[^"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')*/.exec(whole)?.[0] ?? ''
  return open.length === whole.length ? whole : open.replace(/\s+-{1,2}[\w-]+[=\s]?\s*$/, '').trim()
}

/** The way to a directory far away makes a command long and says nothing of what it does. */
function withoutFarDirectory(command: string): string {
  return command.length <= SHORT_COMMAND ? command : command.replace(/^cd\s+(?:"\/[^"\n]*"|\/[^\s;&|]+)\s*&&\s*/, '')
}

/** What the command is at heart: without the way to the directory and without how its output is shown. */
export function coreOf(command: string): string {
  let core = command.trim()
  for (let before = ''; before !== core; ) {
    before = core
    core = core.replace(/^cd\s+(?:"[^"\n]*"|'[^'\n]*'|[^\s;&|]+)\s*(?:&&|;|\n)\s*/, '')
  }
  for (let before = ''; before !== core; ) {
    before = core
    core = withoutShowing(core)
  }
  return core === '' ? command.trim() : core
}

/** By hand: patterns for what stands at the end try every blank before it. */
function withoutShowing(core: string): string {
  const silencing = SILENCING.find((end) => core.endsWith(end))
  if (silencing !== undefined) return core.slice(0, -silencing.length).trimEnd()
  const pipe = core.lastIndexOf('|')
  if (pipe < 0 || core[pipe - 1] === '|' || !SHOWING.test(core.slice(pipe + 1, pipe + 40).trimStart())) return core
  return core.slice(0, pipe).trimEnd()
}

/** Two runs that differ in their flags only are the same command tried again. */
export function withoutFlags(core: string): string {
  return core
    .replace(/\s-{1,2}[\w-]+(?:=\S+)?(?=\s|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The program and what it is told to do: `npm run build`, `git push`, `pytest`. */
export function familyOf(command: string): string {
  const segments = commandsOf(coreOf(command))
  const telling = segments.find((text) => weightOf(text) >= 2) ?? segments[0] ?? ''
  const words = withoutFlags(callOf(telling)).split(' ')
  const isPlainWord = (word: string | undefined): boolean => word !== undefined && /^[a-z][\w:-]*$/i.test(word)
  return words
    .slice(
      0,
      isPlainWord(words[1])
        ? isPlainWord(words[2]) && /^(?:run|exec|pr|compose|-m)$/.test(words[1] ?? '')
          ? 3
          : 2
        : 1,
    )
    .join(' ')
}

/** A command behind a pipe ends well whatever happened before it: then its output has the say. */
export function commandOutcome(command: string, ok: boolean | null, output: string): boolean | null {
  if (ok !== true) return ok
  const isMasked = /\||;|2>&1|\btail\b/.test(command)
  return isMasked && FAILING.test(withoutZero(output)) && !/\b0 (?:failed|failures)\b/.test(output) ? false : ok
}

/** The line of the output that tells how it ended. `output`: in whole words. */
export function tellingLine(output: string, ok: boolean | null): string | null {
  const lines = linesOf(output)
  const find = (pattern: RegExp): string | undefined => lines.find((line) => pattern.test(line.toLowerCase()))
  const line =
    ok === false
      ? (find(LESSON) ??
        find(/\b[1-9]\d* (?:failed|failing)\b/) ??
        find(ERROR_LINE) ??
        (lines.length <= 2 ? lines[0] : undefined))
      : find(RESULT_LINE)
  if (line === undefined || line.length < 3) return null
  return shorten(line.replace(/`/g, "'"), MAX_OUTCOME)
}

function withoutZero(output: string): string {
  return output.replace(/\b0 (?:errors?|failed|failures?|failing)\b/gi, '')
}

function linesOf(output: string): string[] {
  return output
    .split('\n')
    .map((line) =>
      line
        .replace(/[─━═=*_#·.]{4,}/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '' && !HOST_LINE.test(line) && !DATA_LINE.test(line) && /[\p{L}\p{N}]/u.test(line))
}
