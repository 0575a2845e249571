/** All responses: the page, JSON answers, refusals; each with headers that forbid the browser everything the page does not need. */

import type http from 'node:http'
import url from 'node:url'
import { disk, readText } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { findProgram, type ProgramSearch } from '../../../kernel/trust/disk/find-program.ts'
import type { Failed } from './api.ts'
import { cookieName, type Refusal, type Secrets } from './guard.ts'

export interface PageFile {
  html: string
  /** Content-Security-Policy: allows only the page's own script and style, by their fingerprints. */
  policy: string
}

export function readPageFile(file: string): PageFile {
  const text = readText(file)
  if (text === null)
    throw new KeeperError('no-page', `${file} is missing. Install the plugin again, or build it: npm run build`)
  // A browser normalises line breaks before it computes fingerprints; git may have changed them.
  const html = text.replace(/\r\n?/g, '\n')
  return { html, policy: policyOf(marksOf(html, 'script'), marksOf(html, 'style')) }
}

/** A page without script: a sentence for a person, or a redirect to the page itself. */
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

/** The page comes from our own build: its elements are easy to find. */
function marksOf(html: string, element: 'script' | 'style'): string[] {
  const found = html.matchAll(new RegExp(`<${element}(?:\\s[^>]*)?>([\\s\\S]*?)</${element}>`, 'g'))
  const { createHash } = process.getBuiltinModule('node:crypto')
  return [...found].map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** For everything that is not a page: answers, errors, the entry. */
const STRICTEST = policyOf([], [])

const HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cache-Control': 'no-store',
}

export function sendPage(response: http.ServerResponse, file: string): void {
  const { html, policy } = readPageFile(file)
  send(response, 200, { 'Content-Type': HTML, 'Content-Security-Policy': policy }, html)
}

const HTML = 'text/html; charset=utf-8'

/** How long the cookie is valid, so that a browser can open the page by a bookmark. */
export const COOKIE_DAYS = 30

/** Browsers do not send a strict cookie if a page of another origin started the navigation: then it is started again from here. */
export function letIn(response: http.ServerResponse, isFromElsewhere: boolean, { port, cookie }: Secrets): void {
  const known = {
    'Set-Cookie': `${cookieName(port)}=${cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${COOKIE_DAYS * 86_400}`,
  }
  if (!isFromElsewhere) return send(response, 303, { ...known, Location: '/' }, '')
  const html = plainPage('Memory Keeper', 'One moment …', '/')
  send(response, 200, { ...known, 'Content-Type': HTML, 'Content-Security-Policy': STRICTEST }, html)
}

export function refuse(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { status, code, message }: Refusal,
): void {
  // The rest of the request is not read.
  const last = { Connection: 'close', ...(status === 405 ? { Allow: 'GET, POST' } : {}) }
  const isPerson = request.method === 'GET' && !(request.url ?? '').startsWith('/api/')
  if (!isPerson) return sendJson(response, { status, value: failed(code, message) }, last)
  const html = plainPage('Memory Keeper', message)
  send(response, status, { ...last, 'Content-Type': HTML, 'Content-Security-Policy': STRICTEST }, html)
}

/** The rest of a body that is too large is not read. */
export function sendAnswer(response: http.ServerResponse, answered: Answer): void {
  sendJson(response, answered, answered.status === 413 ? { Connection: 'close' } : {})
}

export interface Answer {
  status: number
  value: unknown
}

export function failed(code: string, message: string): Failed {
  return { error: { code, message } }
}

function sendJson(response: http.ServerResponse, { status, value }: Answer, more: Record<string, string> = {}): void {
  const type = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Security-Policy': STRICTEST }
  send(response, status, { ...type, ...more }, `${JSON.stringify(value)}\n`)
}

function send(response: http.ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  if (response.destroyed) return
  const bytes = Buffer.from(body)
  response.writeHead(status, { ...HEADERS, ...headers, 'Content-Length': bytes.length })
  response.end(bytes)
}

/** Opens the page in the user's browser, without a shell and without the token on a command line, which other users can read. */

const WAIT_MS = 1_500

/** `file`: readable by this user only; it redirects the browser to the address. False: there is no such program, or it failed at once. */
export function openInBrowser(address: string, file: string, search: ProgramSearch): Promise<boolean> {
  const [name, ...args] = OPENERS[search.platform] ?? ['xdg-open']
  const program = findProgram(name, search)
  if (program === null) return Promise.resolve(false)
  disk.replace(file, plainPage('Memory Keeper', 'One moment …', address))
  return new Promise((resolve) => {
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = spawn(program, [...args, url.pathToFileURL(file).href], {
      stdio: 'ignore',
      detached: true,
      windowsHide: true,
    })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
    // Some programs keep running as long as the browser.
    setTimeout(() => resolve(true), WAIT_MS).unref()
    child.unref()
  })
}

const OPENERS: Readonly<Record<string, [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
