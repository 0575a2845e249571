/** The host's dialog (AskUserQuestion): what the user answered, and how an entry keeps it. Claude wrote its questions, labels and previews. */
import { sentencesOf } from '../text/sentences.ts'
import { shorten } from '../text/shorten.ts'

interface Answer {
  question: string
  /** Null: no option was selected. */
  answer: string | null
  /** What Claude showed for the selected option. */
  preview: string
  /** What the user typed beside it. */
  notes: string
}

/** What the agent recorded of a dialog. */
export interface Recorded {
  answers: Answer[]
  /** What the user wrote in place of an answer. */
  response: string
}

type Redact = (text: string) => string

/** The sentence before the answers depends on the version; `"question"="answer"` always follows it. */
const ANSWERED = /^[^"\n]{0,120}?: ?("[\s\S]*?)\.?(?: (?:You can now continue|Read the answers carefully) [\s\S]*)?$/

/**
 * The user's answers as their entry keeps them; null: nobody answered, or nobody can tell. `recorded` null: the host records no answers, and
 * its sentence is read. The sentence escapes nothing: a label with a quotation mark (`isQuoted`) may contain an answer of its own.
 */
export function answersOf(
  result: string,
  { recorded, isQuoted }: { recorded: Recorded | null; isQuoted: boolean },
  redact: Redact,
): string | null {
  if (recorded !== null) return formatAnswers(recorded, redact)
  const said = isQuoted ? undefined : ANSWERED.exec(result)?.[1]?.trim()
  return said ? redact(said) : null
}

/** Whether a text that Claude put into the dialog contains a quotation mark. */
export function isQuotedIn(input: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(input).includes('\\"')
}

/** In the form of the host's sentence, with escapes. */
function formatAnswers({ answers, response }: Recorded, redact: Redact): string | null {
  const hide = (text: string): string => hidden(text, redact)
  const formatted = answers.map(({ question, answer, preview, notes }) =>
    [
      `"${hide(question)}"=${answer === null ? '(no option selected)' : `"${hide(answer)}"`}`,
      ...(preview === '' ? [] : [`selected preview:\n${hide(preview)}`]),
      ...(notes === '' ? [] : [`notes: ${hide(notes)}`]),
    ].join(' '),
  )
  const text = [...formatted, ...(response === '' ? [] : [hide(response)])].join(', ')
  return text === '' ? null : escaped(redact(text))
}

/**
 * While the text is redacted as a whole, characters that occur in no text stand for the quotation marks and backslashes inside its parts:
 * redaction may take away a character, and an escape that loses its backslash would end the part.
 */
const HIDDEN = { '"': '\ufdd0', '\\': '\ufdd1' } as const
const HIDING = /[\ufdd0\ufdd1]/g
const SHOWN: Readonly<Record<string, string>> = { [HIDDEN['"']]: '"', [HIDDEN['\\']]: '\\' }

function hidden(text: string, redact: Redact): string {
  // Redaction knows some secrets by the quotation marks around them.
  if (!text.includes('"') && !text.includes('\\')) return text
  return redact(text).replaceAll('"', HIDDEN['"']).replaceAll('\\', HIDDEN['\\'])
}

function escaped(text: string): string {
  return text.replace(HIDING, (sign) => `\\${SHOWN[sign]}`)
}

function shown(text: string): string {
  return text.replace(HIDING, (sign) => SHOWN[sign] ?? sign)
}

interface Chosen {
  question: string
  answer: string
  /** The pair as written in the entry. */
  quote: string
}

const MAX_PART = 300
const MAX_QUESTION = 1_500
const MAX_ANSWER = 600

/** The pairs of `"question"="answer"` in the entry of an answered dialog. */
export function chosenIn(text: string): Chosen[] {
  // An entry of an earlier version may be the host's text about a dialog that was not answered.
  if (!text.startsWith('"')) return []
  return (pairsIn(text) ?? earlierPairs(text)).flatMap(({ asked, chosen, quote }) => {
    const question = sentencesOf(asked).at(-1)?.text ?? ''
    const answer = chosen
      .replace(/\s*\(Recommended\)$/i, '')
      .replace(/\s+/g, ' ')
      .trim()
    if (question === '' || answer === '' || question.length > MAX_PART) return []
    return [{ question, answer: shorten(answer, MAX_PART), quote }]
  })
}

interface Pair {
  asked: string
  chosen: string
  quote: string
}

/** Null: the text has not this form. */
function pairsIn(text: string): Pair[] | null {
  const pairs: Pair[] = []
  // Every second part is between two quotation marks.
  const parts = text.replace(/\\(["\\])/g, (_, sign: keyof typeof HIDDEN) => HIDDEN[sign]).split('"')
  if (parts.length % 2 === 0) return null
  for (let at = 1; at < parts.length; at += 2) {
    const [asked = '', between = '', chosen = ''] = parts.slice(at, at + 3)
    if (between.startsWith('=(')) continue
    if (between !== '=') return null
    if (asked.length <= MAX_QUESTION && chosen.length <= MAX_ANSWER)
      pairs.push({ asked: shown(asked), chosen: shown(chosen), quote: escaped(`"${asked}"="${chosen}"`) })
    at += 2
  }
  return pairs
}

/** Versions before 0.7 escaped nothing. */
function earlierPairs(text: string): Pair[] {
  return [...text.matchAll(/"((?:[^"]|"(?!=")){1,1500})"="([^"]{1,600})"/g)].map(
    ([quote, asked = '', chosen = '']) => ({
      asked,
      chosen,
      quote,
    }),
  )
}
