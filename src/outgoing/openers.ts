/** What people say before what they say: "Yes, …", "ok, agreed: …", "And …", "Remember, …", 그리고 …. A later reader needs none of it. */

import { STOP_WORDS } from '../text/stop-words.ts'
import { wordCount } from './digest-words.ts'
import { ORDER_VERBS } from './standing-english.ts'

/** They belong to the conversation only where something sets them apart: "right click" is no agreement. */
const APART =
  /^(?:yes|yeah|yep|yup|sure|fine|great|good|nice|cool|perfect|right|correct|exactly|true|agreed|alright|all right|understood|got it|sounds good|makes sense|good (?:point|idea)|thanks|thank you|thx|done|remember|reminder|as a reminder|just a reminder|again|once (?:again|more)|yet again|i repeat|(?:as|like) i(?:'ve| have)?(?: already)? (?:said|told you|mentioned)(?: before| already| earlier)?|as (?:already )?(?:mentioned|discussed|agreed|said)(?: before| above| already)?|(?:please )?note|one more thing|another thing|oh|ah|hm+|well|look|listen|hey|hi|hello|claude|by the way|btw|fyi|also|plus|ja|gut|genau|nochmal|네|넵|예|응|어|그래(?:요)?|좋아(?:요)?|좋습니다|맞아(?:요)?|알겠어(?:요)?|알겠습니다|오케이|기억해(?:\s?줘)?|참고로|그리고|그럼|그러면|그런데|근데|다시 한\s?번 말하지만)(?:\s*[,.:;!…~]+|\s+[–—-])\s+/i
/** They lead on to something whatever follows. */
const LEADING =
  /^(?:(?:and|but|so|also|ok(?:ay)?|please remember(?: to| that)?|remember (?:to|that)|don't forget(?: to| that)|그리고|그럼|그러면|또한|아 그리고|다시 (?:한\s?번 )?(?:말하지만|말하는데|말씀드리지만|얘기하지만)|(?:아까 |전에 )?말했듯이)(?:\s*[,.:;!…~]+|\s+[–—-])?)\s+/i
/** A no turns round what stood before it, so it tells something where two things are compared. */
const REFUSING =
  /^(?:(?:no+|nope|nah|nein|wrong|아니(?:야|요|지|라고|라니까)?|아뇨)(?:\s*[,.:;!…~]+|\s+[–—-])|아니(?:야|요)?|(?:actually|wait|hold on|please|pls|i (?:already )?told you(?: already| before)?:?)(?:\s*[,.:;!…]+)?)\s+/i
/** Files and pictures that were dropped into the prompt, where a sentence of its own begins behind them. */
const DROPPED =
  /^(?:(?:'[/~][^'\n]+'|"[/~][^"\n]+"|\[image #\d+\])\s+)+(?=(?:i|we|you|let['’]?s|please|can|could|don['’]?t|always|never|use|make|all|the|from)\b)/i
const MOST = 5
/** "and so on", "so that": no openers. */
const BOUND = /^(?:so that|so far|so on|so as|and\/or|but for|also known)\b/i

/** The text without its openers, as a sentence of its own; as it was if hardly anything would be left. */
export function withoutOpeners(text: string): string {
  return trimmed(text, [DROPPED, APART, LEADING])
}

/** Without refusals and pleas, too: as it would stand in a list of rules. */
export function plainly(text: string): string {
  return trimmed(text, [DROPPED, APART, LEADING, REFUSING])
}

function trimmed(text: string, openers: readonly RegExp[]): string {
  let rest = text
  for (let i = 0; i < MOST && !BOUND.test(rest); i++) {
    const opener = openers.map((one) => one.exec(rest)?.[0]).find((found) => found !== undefined)
    if (opener === undefined) break
    rest = rest.slice(opener.length)
  }
  return rest === text || wordCount(rest) < 3 ? text : begun(rest)
}

/** A name keeps its letters: `npm` begins no sentence as `Npm`. */
function begun(text: string): string {
  const first = /^[a-z]+(?:['’][a-z]+)?(?=[\s,])/.exec(text)?.[0] ?? ''
  const isWord =
    STOP_WORDS.has(first.replace(/['’]/g, '')) ||
    ORDER_VERBS.has(first) ||
    /^(?:always|never|let['’]?s|only|all|every|each|please|don['’]t|prefer|[a-z]{2,}ed)$/.test(first)
  return isWord ? first.charAt(0).toUpperCase() + text.slice(1) : text
}
