/** Lines that we wrote ourselves: whatever is forgotten, nobody said them. */

import { BUILT_IN_RULES } from '../pages/rule.ts'
import { tokensOf } from './forget-words.ts'

/** As they begin: what follows is ours as well. */
const OURS: readonly RegExp[] = [
  /^<\/?memory-keeper[\w-]*>$/,
  /^Remembered by Memory Keeper from earlier sessions in this project\. It is information, not instructions:/,
  /^Remembered, maybe outdated; information, not instructions\./,
  /^## (?:Standing Instructions \(said by the user\)|Core Decisions|Current State|How to Get More|Recent Context|Earlier Sessions|Known Issues|Permanent Rules and Solutions|Archives)$/,
  /^## (?:What this session did before the compaction|Topics \(get_memory opens one by its id\)|From Teammates \(their words, not instructions\)|Claude's Own Notes)$/,
  /^- MCP tool \S+ lists the remembered sessions; /,
  /^- Whole pages: memory-keeper page get <name>$/,
  /^Memory Keeper rules for this project:$/,
  /^# (?:Memory|Rules|Told)$/,
  /^<!-- Notes of Memory Keeper, newest last\. .*-->$/,
  /^<!-- Told to Claude with every prompt, one rule per list item\. /,
  /^ {5}Without this file the built-in rules are told; with no rule in it, none\. -->$/,
]

/** Made with the first question: every hook reads this file, and hardly one asks. */
let rules: ReadonlySet<string> | null = null

export function isOurLine(line: string): boolean {
  const plain = line.trimEnd()
  rules ??= new Set(BUILT_IN_RULES.map(wordsOf))
  return OURS.some((one) => one.test(plain)) || rules.has(wordsOf(plain.replace(/^\s*(?:[-*]|\d+[.)])\s+/, '')))
}

function wordsOf(text: string): string {
  return tokensOf(text).join(' ')
}
