/** The page itself, and what a browser may do with it: nothing but run its own script, look as its own style says, and ask us. */
import crypto from 'node:crypto'
import { readText } from '../platform/disk/files.ts'
import { KeeperError } from '../platform/error.ts'

export interface PageFile {
  html: string
  /** Content-Security-Policy: its own script and style by their fingerprints, no other. */
  policy: string
}

export function readPageFile(file: string): PageFile {
  const text = readText(file)
  if (text === null)
    throw new KeeperError('no-page', `${file} is missing. Install the plugin again, or build it: npm run build`)
  // As a browser reads it, and as its fingerprints are taken; git may have put other line ends there.
  const html = text.replace(/\r\n?/g, '\n')
  return { html, policy: policyOf(marksOf(html, 'script'), marksOf(html, 'style')) }
}

/** For everything that is no page: answers, errors, the way in. */
export const STRICTEST = policyOf([], [])

/** A page without script: a sentence for a person, or on the way to the page itself. */
export function plainPage(title: string, said: string, goOn = ''): string {
  const next = goOn === '' ? '' : `<meta http-equiv="refresh" content="0;url=${escaped(goOn)}">`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">${next}<title>${escaped(title)}</title></head><body><h1>${escaped(title)}</h1><p>${escaped(said)}</p></body></html>\n`
}

function policyOf(scripts: readonly string[], styles: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src ${scripts.join(' ') || "'none'"}`,
    `style-src ${styles.join(' ') || "'none'"}`,
    "connect-src 'self'",
    'img-src data:',
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** Our own build's page: its elements stand there plainly. */
function marksOf(html: string, element: 'script' | 'style'): string[] {
  const found = html.matchAll(new RegExp(`<${element}(?:\\s[^>]*)?>([\\s\\S]*?)</${element}>`, 'g'))
  return [...found].map(([, text = '']) => `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
