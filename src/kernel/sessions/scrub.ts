/** Redacts stored texts so that they stay readable: JSON stays valid, an entry stays one line. */
import { nameIn } from '../memory/file-kind.ts'
import { parseObject } from '../platform/json.ts'
import type { Redactor } from '../redact/redact.ts'
import { isFingerprint } from '../text/fingerprint.ts'
import { formatEntry, parseEntry } from '../transcript/session.ts'

interface Clean {
  text: string
  count: number
}

/** Redacts string by string, unescaped, then the whole text, because a key may be beside its name. Invalid JSON is redacted as well. */
export function scrubJson(text: string, redact: Redactor): Clean {
  const { text: words, count } = scrubStrings(text, redact)
  const whole = redact(words)
  // If redaction damages the JSON, only the strings are redacted.
  const isSound = whole.count > 0 && (parseObject(words) === null || parseObject(whole.text) !== null)
  return isSound ? { text: whole.text, count: count + whole.count } : { text: words, count }
}

function scrubStrings(text: string, redact: Redactor, isKept = (_: string): boolean => false): Clean {
  let count = 0
  const clean = text.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => {
    const said = parsedText(quoted)
    const done = isKept(said) ? NOTHING_FOUND : redact(said)
    count += done.count
    return done.count === 0 ? quoted : JSON.stringify(done.text)
  })
  return { text: clean, count }
}

const NOTHING_FOUND: Clean = { text: '', count: 0 }

/** Fingerprints stay, and no name beside them (`keys`) makes one a secret: without them what was forgotten comes back. */
export function scrubRecords(text: string, redact: Redactor): Clean {
  return eachLine(text, (line) => scrubStrings(line, redact, isFingerprint))
}

/** For a kind that says nothing about it: by the form of the text. A text without a secret stays byte for byte. */
export function scrubByForm(path: string, text: string, redact: Redactor): Clean {
  const base = nameIn(path)
  if (/\.jsonl(?:\.|$)/.test(base)) return scrubJsonLines(text, redact)
  return /\.json(?:\.|$)/.test(base) ? scrubJson(text, redact) : redact(text)
}

export function scrubJsonLines(text: string, redact: Redactor): Clean {
  return eachLine(text, (line) => scrubJson(line, redact))
}

const PLACES = ['branch', 'slug', 'tree'] as const

/** Redacts a session field by field. */
export function scrubEntries(text: string, redact: Redactor): Clean {
  return eachLine(text, (line) => {
    const entry = parseEntry(line)
    if (entry === null) return redact(line)
    if (entry.role === 'tombstone') return { text: line, count: 0 }
    let count = 0
    const clean = (value: string): string => {
      const done = redact(value)
      count += done.count
      return done.text
    }
    const items =
      'items' in entry
        ? entry.items?.map((item) => (item.text === undefined ? item : { ...item, text: clean(item.text) }))
        : undefined
    const named = PLACES.flatMap((place) => (entry[place] === undefined ? [] : [[place, clean(entry[place])] as const]))
    const places = Object.fromEntries(named)
    const scrubbed =
      'text' in entry
        ? { ...entry, ...places, text: clean(entry.text) }
        : {
            ...entry,
            ...places,
            cmd: clean(entry.cmd),
            ...(entry.output === undefined ? {} : { output: clean(entry.output) }),
            ...(items === undefined ? {} : { items }),
          }
    return { text: formatEntry(scrubbed).trimEnd(), count }
  })
}

/** A line without a secret stays byte for byte. */
function eachLine(text: string, scrub: (line: string) => Clean): Clean {
  let count = 0
  const lines = text.split('\n').map((line) => {
    const clean = scrub(line)
    count += clean.count
    return clean.count === 0 ? line : clean.text
  })
  return { text: lines.join('\n'), count }
}

/** A string as JSON writes it; if it is damaged, as it stands. */
export function parsedText(quoted: string): string {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return quoted
  }
}
