/**
 * How does the time grow of everything that reads foreign text? CPU time at n, 2n and 4n characters of hostile shapes.
 * The exponent is log2(t4n / t2n): 1 is linear, 2 is quadratic.
 */
import { findUngrounded } from '../src/core/grounding/grounding.ts'
import { findQuote, typedParts } from '../src/core/knowledge/evidence.ts'
import { outlineOf } from '../src/core/notes/report-outline.ts'
import { structureWithin } from '../src/core/notes/structure.ts'
import { tellingLines } from '../src/core/notes/telling-lines.ts'
import { readPrompt } from '../src/core/recall/prompt.ts'
import { parseOperators } from '../src/core/search/operators.ts'
import { parseQuestion } from '../src/core/search/question.ts'
import { answersIn } from '../src/extras/agents/claude/record.ts'
import { type Converting, convertFile } from '../src/extras/migrate/legacy-convert.ts'
import { newSession } from '../src/kernel/memory/session-state.ts'
import { createRedactor } from '../src/kernel/redact/redact.ts'
import { readPiece } from '../src/kernel/sessions/capture.ts'
import { excerptOf } from '../src/kernel/text/excerpt.ts'
import { withoutFrames } from '../src/kernel/text/frame.ts'
import { piecesOf, shortenTo, textOnOneLine } from '../src/kernel/text/memory-words.ts'
import { sentencesOf } from '../src/kernel/text/sentences.ts'
import { tokenise } from '../src/kernel/text/words.ts'
import { answersOf, chosenIn } from '../src/kernel/transcript/dialog.ts'
import type { Entry } from '../src/kernel/transcript/session.ts'
import { isOurTool, outputWorth, plainOutput } from '../src/kernel/transcript/tool-line.ts'
import { messagesIn, personsWords, wordsInResult } from '../src/kernel/transcript/words.ts'

const N = Number(process.argv[2] ?? 50_000)
/** Which readers: a pattern. */
const ONLY = new RegExp(process.argv[3] ?? '')
const MOST_EXPONENT = 1.3
/** Below this many milliseconds at 4n the exponent is noise. */
const LEAST_MS = 30
/** A size is not measured if the one before it took longer than this. */
const MOST_MS = 500

const MOST_NOTE = 8_000

type Read = (text: string) => unknown

const repeat = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const around = (open: string, close: string) => (length: number) => {
  const depth = Math.floor(length / (open.length + close.length))
  return open.repeat(depth) + close.repeat(depth)
}

const SHAPES: Readonly<Record<string, (length: number) => string>> = {
  prose: repeat('The queue retries twice. Then src/queue/retry.ts gives up after 30 s. '),
  'one long word': repeat('a'),
  'one line of words': repeat('cache token parser '),
  digits: repeat('7'),
  numbers: repeat('12.5 ms '),
  'open brackets': repeat('('),
  'deep nesting': around('{"a":[', ']}'),
  'open quotes': repeat('"a '),
  backquotes: repeat('`a '),
  dots: repeat('.'),
  'dotted name': repeat('a.b'),
  slashes: repeat('/a'),
  'CJK without spaces': repeat('漢字仮名交文한국어'),
  blanks: repeat(' '),
  'blank lines': (length) => `<a>${'\n'.repeat(length)}x`,
  'carriage returns': (length) => `<a>${'\r'.repeat(length)}x`,
  'other line ends': (length) => `<a>${'\u2028'.repeat(length)}x`,
  'open host tags': (length) => `</a>${repeat('<system-reminder>')(length)}`,
  'different open tags': (length) => tags(length, (n) => `<artifact-${letters(n)}> `),
  'different closed tags': (length) => tags(length, (n) => `<artifact-${letters(n)}></artifact-${letters(n)}>`),
  'different open frames': (length) => tags(length, (n) => `<memory-keeper-${letters(n).padStart(8, 'a')}> `),
  'different closed frames': (length) =>
    tags(
      length,
      (n) => `<memory-keeper-${letters(n).padStart(8, 'a')}></memory-keeper-${letters(n).padStart(8, 'a')}>`,
    ),
  'marks of authors': repeat('User: '),
  'beginnings of marks': repeat('user, '),
  'open comments': (length) => `-->${repeat('<!-- ')(length)}`,
  'tools-used tags': repeat('\n<tools-used-before-summary>'),
  'host sentences': repeat('\nOutput too large ('),
  'host sentences behind carriage returns': repeat('\rOutput too large ('),
  headings: repeat('## 2025-01-01\n'),
  'list items': repeat('- [ ] a\n'),
  'table rows': repeat('| a | b '),
  fences: repeat('```\na\n'),
  'wrapped lines': repeat(`${'word '.repeat(14)}\nand `),
  assignments: repeat('password='),
  flags: repeat('--token '),
  urls: repeat('https://a:'),
  base64: repeat('eyJhbGciOi'),
  hyphens: repeat('a-'),
  underscores: repeat('A_'),
  escapes: repeat('\\"'),
  colons: repeat('a: '),
  dates: repeat('2025-01-01 '),
}

/** Pieces that some pattern begins with, each repeated to a whole text. */
const PIECES = [
  ...[
    '-',
    '_',
    '\\',
    '=',
    ':',
    '@',
    '<',
    '< ',
    '<a-',
    '[ ',
    '**a',
    '\u200d',
    '\u0301',
    '\u1100\u1161',
    '😀',
    '\udc00',
    'éÀ',
    'ａＢ',
  ],
  ...[
    "a'",
    'aB',
    'ational',
    'f(',
    '(a=',
    '("',
    ';  ',
    'a=b ',
    '. ',
    '。',
    '://a:',
    'eyJa.',
    '-eyJ',
    'key ',
    'key: ',
    'key=',
  ],
  ...['password="', 'password: (', "password='\\", 'password for ', 'curl ', 'curl -u a:', '<private ', '<private'],
  ...[
    '-----BEGIN RSA ' + 'PRIVATE KEY-----',
    '-----END ' + 'PRIVATE KEY-----',
    'AAAAAAAAAAAAAAAA\n',
    'Cookie: a=',
    'a=b;',
  ],
  ...['12345678:AA', `${'M'.repeat(24)}.`, '\\n', '%20', '\x1b[', 'sk-', 'Bearer ', 'login a password ', '비밀번호는 '],
  ...['<bash-input>', '<system-reminder>', '\n<channel>', '1,', '--', './', 'a/', '"', '#', '@a', '\t', '> ', '\n## '],
]

const ALL_SHAPES = {
  ...SHAPES,
  ...Object.fromEntries(PIECES.map((piece) => [JSON.stringify(piece), repeat(piece)])),
}

const { redact } = createRedactor({ enabled: true, extraPatterns: [] })
const OPTIONS = { outputChars: 300, redact: (text: string) => redact(text).text }
const PLAIN = { outputChars: 300, redact: (text: string) => text }
const TS = '2026-01-01T00:00:00.000Z'
const said = (text: string): Entry => ({ role: 'user', by: 'user', text, ts: TS })
const answered = (text: string): Entry => ({ role: 'assistant', by: 'assistant', text, ts: TS })
const numbered = (text: string) => [said(text), answered(text)].map((entry, n) => ({ entry, n }))

const READERS: Readonly<Record<string, Read>> = {
  'refine: prompt': (text) => refined({ type: 'user', message: { role: 'user', content: text } }, PLAIN),
  'refine: answer': (text) =>
    refined({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } }, PLAIN),
  'refine: tool': (text) => refinedTool(text),
  'refine: many lines': (text) => refinedRaw(Buffer.from(text.replace(/(.{40})/gs, '$1\n'))),
  'refine: no JSON': (text) => refinedRaw(Buffer.from(text)),
  'refine with redaction': (text) => refined({ type: 'user', message: { role: 'user', content: text } }, OPTIONS),
  'words: personsWords': (text) => personsWords(text),
  'words: messagesIn': (text) => messagesIn(`<channel from="a">${text}`),
  'words: wordsInResult': (text) =>
    wordsInResult('Edit', `the user said: ${text}`, { failed: true, refused: true, comment: null }),
  'dialog: sentence': (text) => answersOf(`Answered: "a${text}`, { recorded: null, isQuoted: false }, (same) => same),
  'dialog: record': (text) =>
    chosenIn(
      answersOf('', { recorded: answersIn({ answers: { [text]: text } }), isQuoted: false }, (same) => same) ?? '',
    ),
  'dialog: an earlier entry': (text) => chosenIn(`"a${text}`),
  'tool-line: plainOutput': plainOutput,
  'tool-line: commands': (text) => [isOurTool('Bash', `${text}memory-keepers`), outputWorth('Bash', text, 300)],
  redact: (text) => redact(text),
  'text/sentences': sentencesOf,
  'text/excerpt': (text) =>
    excerptOf(
      text,
      () => 1,
      () => true,
      300,
    ),
  'text/words': tokenise,
  'text/frame': (text) => [withoutFrames(text), withoutFrames(text, true)],
  'text/memory-words': (text) => [shortenTo(textOnOneLine(text), 1_000), piecesOf(text)],
  // A note has at most 8,000 characters; its source is as long as a session.
  'grounding: note': (text) => findUngrounded(text.slice(0, MOST_NOTE), 'The queue retries twice.'),
  'grounding: source': (text) => findUngrounded('`retryQueue()` waits 30 s in src/queue/retry.ts:12, a.b.c', text),
  'grounding: both': (text) => findUngrounded(text.slice(0, MOST_NOTE), text),
  'evidence: findQuote': (text) => findQuote(numbered(text), 'a quote that nobody ever said here'),
  'evidence: long quote': (text) => findQuote(numbered(text), `${text.slice(0, 2_000)} and other words`),
  'typed parts': typedParts,
  'structure digest': (text) => structureWithin(numbered(text), 2_000),
  'notes: report outline': (text) => outlineOf(text, new Set(), 300),
  'notes: telling lines': (text) => tellingLines({ at: 0, cmd: 'make', output: text }, []),
  'recall: readPrompt': readPrompt,
  'search: operators': (text) => operators(text),
  'search: question': parseQuestion,
  'migrate: memory': (text) => migrated('memory.md', text),
  'migrate: session lines': (text) => migrated('sessions/2025-01-01_10-00.l1.jsonl', text),
  'migrate: facts': (text) => migrated('facts.json', JSON.stringify({ decisions: [{ id: 'd1', text }] })),
}

function tags(length: number, tag: (n: number) => string): string {
  let text = ''
  for (let n = 0; text.length < length; n++) text += tag(n)
  return text
}

function letters(n: number): string {
  return n.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))
}

function refinedRaw(bytes: Buffer, options = PLAIN): unknown {
  return readPiece(newSession('x'), { bytes, isLast: true }, options)
}

function refined(line: object, options: typeof PLAIN): unknown {
  return refinedRaw(Buffer.from(`${JSON.stringify({ ...line, timestamp: TS, cwd: '/w' })}\n`), options)
}

function refinedTool(text: string): unknown {
  const use = { type: 'tool_use', id: 't', name: 'Bash', input: { command: text } }
  const result = { type: 'tool_result', tool_use_id: 't', content: text }
  const lines = [
    { type: 'assistant', timestamp: TS, cwd: '/w', message: { role: 'assistant', content: [use] } },
    {
      type: 'user',
      timestamp: TS,
      cwd: '/w',
      message: { role: 'user', content: [result] },
      toolUseResult: { stdout: text },
    },
  ]
  return refinedRaw(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
}

/** A value that an operator does not take is an answer too. */
function operators(text: string): unknown {
  try {
    return parseOperators(text, { now: 0 })
  } catch (error) {
    return error
  }
}

function migrated(path: string, text: string): unknown {
  const how: Converting = {
    timezone: 'UTC',
    earlier: { version: 'v4', timezone: 'UTC', newest: '' },
    isInPlace: false,
    isOwn: true,
    sessionFiles: [],
    isCaptured: () => false,
    refine: { outputChars: 300, redact: (one) => one },
  }
  return convertFile({ path, text, written: TS }, how)
}

interface Growth {
  reader: string
  shape: string
  ms: number[]
  exponent: number
}

function measure(reader: string, read: Read, shape: string, make: (length: number) => string): Growth {
  const ms: number[] = []
  for (const length of [N, 2 * N, 4 * N]) {
    if ((ms.at(-1) ?? 0) > MOST_MS) break
    ms.push(cpuMs(read, make(length)))
  }
  const [before = 0, last = 0] = ms.slice(-2)
  return { reader, shape, ms, exponent: ms.length < 2 ? Number.NaN : Math.log2(last / before) }
}

/** The quicker of two runs, each with a text of its own: some readers remember the last text. */
function cpuMs(read: Read, text: string): number {
  let least = Number.POSITIVE_INFINITY
  for (const end of ['', ' ']) {
    const before = process.cpuUsage()
    read(text + end)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
    if (least > 200) break
  }
  return least
}

function isSteep({ ms, exponent }: Growth): boolean {
  return (ms.at(-1) ?? 0) > LEAST_MS && !(exponent <= MOST_EXPONENT)
}

function row({ reader, shape, ms, exponent }: Growth): string {
  const [one, two, four] = [0, 1, 2].map((i) => ms[i]?.toFixed(1) ?? '')
  return `| ${reader} | ${shape.replaceAll('|', '\\|')} | ${one} | ${two} | ${four} | ${exponent.toFixed(2)} |`
}

const HEAD = '| reader | shape | n, ms | 2n, ms | 4n, ms | exponent |\n|---|---|--:|--:|--:|--:|'

console.log(
  `node ${process.version}, n = ${N} characters, ${Object.keys(ALL_SHAPES).length} shapes; the slowest shape of each reader\n`,
)
console.log(HEAD)
const steep: Growth[] = []
for (const [reader, read] of Object.entries(READERS)) {
  if (!ONLY.test(reader)) continue
  for (const make of Object.values(ALL_SHAPES)) read(make(2_000))
  const all = Object.entries(ALL_SHAPES).map(([shape, make]) => measure(reader, read, shape, make))
  steep.push(...all.filter(isSteep))
  const [slowest] = all.toSorted((a, b) => (b.ms.at(-1) ?? 0) - (a.ms.at(-1) ?? 0))
  if (slowest !== undefined) console.log(row(slowest))
}
console.log(
  steep.length === 0
    ? `\nNo exponent above ${MOST_EXPONENT} (of those with more than ${LEAST_MS} ms at 4n).`
    : `\nExponents above ${MOST_EXPONENT}, with more than ${LEAST_MS} ms at the largest size:\n\n${HEAD}\n${steep.map(row).join('\n')}`,
)
