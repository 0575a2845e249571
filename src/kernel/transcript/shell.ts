/** Splits a shell command line into its commands, and finds the commits they made and the files they certainly wrote. */

/** A commit's message is searched for in this many characters. */
const MAX_COMMIT = 4000
/** `echo … >> file`, `cat > file <<EOF`, `cat <<EOF > file`. */
const REDIRECT = /^(?:echo|printf|cat)\b(?:"[^"]*"|'[^']*'|<<-?\s*['"]?\w+['"]?|[^<>\n"'])*(>>?)\s*["']?([^\s<>&|;"']+)/
/** Files that a build produces. */
const BUILT =
  /(?:^|\/)(?:node_modules|dist|build|out|target|coverage|tmp|temp|\.cache|__pycache__|\.venv|\.next|\.turbo)(?:\/|$)|\.(?:log|tmp|pyc|lock)$/

const COMMIT = /^git(?:\s+-[Cc]\s+\S+)*\s+commit\b/

/** The subjects of the commits that the command line makes. */
export function commitsIn(line: string): string[] {
  return commandsOf(line).flatMap((command) => {
    const call = command.slice(0, MAX_COMMIT)
    if (!COMMIT.test(callOf(call))) return []
    const subject = heredocSubject(call) ?? quotedSubject(call)
    return subject === null || subject === '' ? [] : [subject]
  })
}

/** Directories that hold no project of the user's. */
const TEMPORARY = /^["']?(?:(?:\/private)?\/(?:tmp|var\/(?:tmp|folders))\b|\$\(mktemp|\$TMPDIR|\$\{TMPDIR)/

/** Whether the command line works in a repository that it makes itself, or in a temporary directory. */
export function isElsewhere(line: string): boolean {
  return commandsOf(line).some((command) => {
    const words = shellWords(callOf(command))
    const dir = words[0] === 'cd' ? words[1] : /^\s*git\s+-C\s+(\S+)/.exec(command)?.[1]
    return (words[0] === 'git' && words[1] === 'init') || (dir !== undefined && TEMPORARY.test(dir))
  })
}

export function isGitCall(command: string): boolean {
  return /^git\b/.test(callOf(command))
}

/** Whether one of its commands adds, commits or pushes. */
export function isGitWork(line: string): boolean {
  return commandsOf(line).some((command) => /^git\s+(?:add|commit|push)\b/.test(callOf(command)))
}

/** What follows a pipe into these only shortens the output. */
const SHOWS = /^(?:tail|head|grep|tee|less|cat)\b/
/** Runners whose second word is their task, or the word behind `run`. */
const MOST_TASK_WORDS = 3

/** The runner and its task: `mise run test:ci`, `npm test`, `go test`. Options and paths do not count. */
function taskOf(command: string): string {
  const words = callOf(command)
    .split(' ')
    .filter((word) => !/^(?:-|\d?[<>&])/.test(word))
  const isRun = words[1] === 'run' || words[1] === 'exec'
  const task = words.slice(0, isRun ? MOST_TASK_WORDS : 2)
  return task.filter((word, i) => i === 0 || isRun || /^[\w:-]+$/.test(word)).join(' ')
}

/** Each link of a chain on its own. */
export function tasksOf(cmd: string): string[] {
  return commandsOf(cmd)
    .filter((one) => !SHOWS.test(one) && !/^(?:cd|echo|export|sleep|true|for|while|if|do|then)\b/.test(one))
    .map(taskOf)
    .filter((task) => task.includes(' '))
}

/** What the message of the last commit says behind its subject; lines that name people or programs are left out. Empty: nothing. */
export function commitBodyIn(line: string): string {
  const bodies = commandsOf(line).flatMap((command) => {
    const call = command.slice(0, MAX_COMMIT)
    if (!COMMIT.test(callOf(call))) return []
    const message = HEREDOC_TEXT.exec(call)?.[2] ?? /\s-[a-zA-Z]*m\s+"((?:[^"\\]|\\.){0,3000})"/.exec(call)?.[1] ?? ''
    const [, ...rest] = message.trim().split('\n')
    return [
      rest
        .filter((one) => !/^[A-Z][\w-]+: |Generated with/.test(one.trim()))
        .join('\n')
        .trim(),
    ]
  })
  return bodies.findLast((body) => body !== '') ?? ''
}

const HEREDOC_TEXT = /<<-?\s*['"]?(\w{1,40})['"]?[^\n]*\n([\s\S]{0,3000}?)\n\s*\1\b/

interface ShellWrite {
  path: string
  how: 'created' | 'edited' | 'removed'
}

/** Files that the command certainly wrote, moved or removed. Names with variables or wildcards are not certain. */
export function writesIn(command: string): ShellWrite[] {
  const found: ShellWrite[] = []
  let dir = ''
  const add = (path: string | undefined, how: ShellWrite['how']): void => {
    if (path !== undefined && isPlainPath(path))
      found.push({ path: dir !== '' && !/^[/~]/.test(path) ? `${dir}/${path}` : path, how })
  }
  for (const text of commandsOf(command)) {
    const redirect = REDIRECT.exec(text)
    if (redirect !== null) add(redirect[2], redirect[1] === '>>' ? 'edited' : 'created')
    const words = shellWords(text)
    const args = words.slice(1).filter((word) => !word.startsWith('-'))
    if (words[0] === 'cd' && args[0] !== undefined) dir = isPlainPath(args[0]) ? args[0].replace(/\/$/, '') : ''
    else if (words[0] === 'git' && words[1] === 'mv' && args.length === 3) {
      add(args[1], 'removed')
      add(args[2], 'created')
    } else if (words[0] === 'git' && words[1] === 'rm') for (const path of args.slice(1)) add(path, 'removed')
    else if ((words[0] === 'mv' || words[0] === 'cp') && args.length === 2) {
      if (words[0] === 'mv') add(args[0], 'removed')
      add(args[1], 'created')
    } else if (words[0] === 'rm') for (const path of args) add(path, 'removed')
    else if (words[0] === 'sed' && words.some((word) => /^-i|^--in-place/.test(word))) add(args.at(-1), 'edited')
    else if (words[0] === 'tee') add(args[0], words.includes('-a') ? 'edited' : 'created')
  }
  return found
}

/** The program and its arguments, without assignments, the directory given to git, `sudo`, `time` and the like. */
export function callOf(segment: string): string {
  return segment
    .trim()
    .replace(/^[({!\s]+/, '')
    .replace(
      /^(?:\w+=(?:"[^"]*"|'[^']*'|\S*)\s+|(?:sudo|time|nohup|exec|env|command|npx|bunx|timeout\s+\S+|xargs)\s+)+/,
      '',
    )
    .replace(/^git\s+-[Cc]\s+\S+\s+/, 'git ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Splits a command line into commands. Quotes, `$(…)` and here-documents belong to the command around them. */
export function commandsOf(command: string): string[] {
  const found: string[] = []
  let from = 0
  const end = (to: number, next: number): void => {
    const text = command.slice(from, to).trim()
    if (text !== '') found.push(text)
    from = next
  }
  for (let at = 0; at < command.length; at++) {
    const char = command[at] ?? ''
    if (char === '\\') at++
    else if (char === '"' || char === "'") at = endOfQuote(command, at)
    else if (char === '<' && command[at + 1] === '<' && command[at + 2] !== '<') at = endOfHeredoc(command, at)
    else if (char === '$' && command[at + 1] === '(') at = endOfParens(command, at + 1)
    else if (char === '\n' || char === ';') end(at, at + 1)
    else if (char === '&' && command[at + 1] === '&') end(at, ++at + 1)
    else if (char === '|' && command[at - 1] !== '>') end(at, command[at + 1] === '|' ? ++at + 1 : at + 1)
  }
  end(command.length, command.length)
  return found
}

/** Deeper nesting means that the text only looks like a command. */
const MAX_DEPTH = 20

function endOfQuote(command: string, at: number, depth = 0): number {
  const quote = command[at]
  for (let i = at + 1; i < command.length; i++) {
    const char = command[i]
    if (char === quote) return i
    if (quote === '"' && char === '\\') i++
    else if (quote === '"' && char === '$' && command[i + 1] === '(') i = endOfParens(command, i + 1, depth + 1)
  }
  return command.length
}

function endOfParens(command: string, at: number, depth = 0): number {
  if (depth > MAX_DEPTH) return command.length
  let open = 1
  for (let i = at + 1; i < command.length; i++) {
    const char = command[i]
    if (char === '(') open++
    else if (char === ')' && --open === 0) return i
    else if (char === '\\') i++
    else if (char === '"' || char === "'") i = endOfQuote(command, i, depth + 1)
    else if (char === '<' && command[i + 1] === '<' && command[i + 2] !== '<') i = endOfHeredoc(command, i)
  }
  return command.length
}

const HEREDOC = /<<-?\s*(['"]?)(\w{1,40})\1/y

/** The position of the line break that ends the here-document, minus one. */
function endOfHeredoc(command: string, at: number): number {
  HEREDOC.lastIndex = at
  const word = HEREDOC.exec(command)?.[2]
  if (word === undefined) return at + 1
  for (let line = command.indexOf('\n', at); line >= 0; ) {
    const next = command.indexOf('\n', line + 1)
    const to = next < 0 ? command.length : next
    if (command.slice(line + 1, to).trim() === word) return to - 1
    line = next
  }
  return command.length
}

function shellWords(segment: string): string[] {
  return [...segment.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  )
}

function isPlainPath(path: string): boolean {
  return (
    path.length < 200 &&
    /^[~\p{L}\p{N}._/@+-]+$/u.test(path) &&
    /[\p{L}\p{N}]/u.test(path) &&
    !/^\/(?:tmp|dev|var\/tmp)\b/.test(path) &&
    !BUILT.test(path)
  )
}

function heredocSubject(rest: string): string | null {
  const match = HEREDOC_TEXT.exec(rest)
  if (match === null || /[;&|]\s*(?:cat|git)\b/.test(rest.slice(10, match.index).replace(/\$\(cat\b/, ''))) return null
  return (
    match[2]
      ?.split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? null
  )
}

function quotedSubject(rest: string): string | null {
  const match =
    /\s(?:-[a-zA-Z]*m|--message)[=\s]\s*(?:"((?:[^"\\]|\\.){0,2000})"|'([^']{0,2000})'|([^\s"';&|$]{1,200}))/.exec(rest)
  const message = (match?.[1]?.replace(/\\(["\\$`])/g, '$1') ?? match?.[2] ?? match?.[3] ?? '').trim()
  return message === '' || message.startsWith('$(') ? null : (message.split('\n', 1)[0]?.trim() ?? null)
}
