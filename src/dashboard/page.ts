/** Everything that is sent back: the page, answers in JSON, refusals; each with headers that forbid the browser what the page does not need. */

import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import type http from 'node:http'
import url from 'node:url'
import { disk, readText } from '../platform/disk/files.ts'
import { KeeperError } from '../platform/error.ts'
import { findProgram, type ProgramSearch } from '../trust/disk/find-program.ts'
import type { Failed } from './api.ts'
import { cookieName, type Refusal, type Secrets } from './guard.ts'

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

/** For everything that is no page: answers, errors, the way in. */
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

/** Browsers do not send a strict cookie along when a page of another origin began the way here: then we begin it anew. */
export function letIn(response: http.ServerResponse, isFromElsewhere: boolean, { port, cookie }: Secrets): void {
  const known = { 'Set-Cookie': `${cookieName(port)}=${cookie}; HttpOnly; SameSite=Strict; Path=/` }
  if (!isFromElsewhere) return send(response, 303, { ...known, Location: '/' }, '')
  const html = plainPage('Memory Keeper', 'One moment …', '/')
  send(response, 200, { ...known, 'Content-Type': HTML, 'Content-Security-Policy': STRICTEST }, html)
}

export function refuse(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { status, code, message }: Refusal,
): void {
  // Whatever else it sends is not read.
  const last = { Connection: 'close', ...(status === 405 ? { Allow: 'GET, POST' } : {}) }
  const isPerson = request.method === 'GET' && !(request.url ?? '').startsWith('/api/')
  if (!isPerson) return sendJson(response, { status, value: failed(code, message) }, last)
  const html = plainPage('Memory Keeper', message)
  send(response, status, { ...last, 'Content-Type': HTML, 'Content-Security-Policy': STRICTEST }, html)
}

/** What is left of a body that is too large is not read. */
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

/** `file`: written for this user only; it leads the browser to the address. False: there is no such program, or it failed at once. */
export function openInBrowser(address: string, file: string, search: ProgramSearch): Promise<boolean> {
  const [name, ...args] = openerOf(search.platform)
  const program = findProgram(name, search)
  if (program === null) return Promise.resolve(false)
  disk.replace(file, plainPage('Memory Keeper', 'One moment …', address))
  return new Promise((resolve) => {
    const child = childProcess.spawn(program, [...args, url.pathToFileURL(file).href], {
      stdio: 'ignore',
      detached: true,
      windowsHide: true,
    })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
    // Some stay as long as the browser does.
    setTimeout(() => resolve(true), WAIT_MS).unref()
    child.unref()
  })
}

function openerOf(platform: string): [program: string, ...args: string[]] {
  switch (platform) {
    case 'darwin':
      return ['open']
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler']
    default:
      return ['xdg-open']
  }
}
