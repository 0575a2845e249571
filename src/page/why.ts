/** The reasons of a briefing's lines as people say them: the receipts keep them in the words of the code. */

const AUTHORS: Readonly<Record<string, string>> = {
  extractive: 'found by code',
  headless: 'written in the background',
  agent: 'written by Claude',
  user: 'your own words',
}

export function sayWhy(why: string): string {
  return why
    .replace(/, by (extractive|headless|agent|user)$/, (_, author: string) => `, ${AUTHORS[author] ?? author}`)
    .replace(/, rank (\d+)(?=,|$)/, ', number $1 in line')
    .replace(/, fresh(?=,|$)/, '')
}
