/** `page`: texts about the project that are kept by hand, and told when a session starts. */
import path from 'node:path'
import { KeeperError } from '../core/error.ts'
import { isUntouchedTemplate, pageName, pageText } from '../core/page.ts'
import { factsOf, readText } from '../store/files.ts'
import { planPage, readPage, readPages } from '../store/pages.ts'
import { COMMAND_WAIT_MS } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { bytes, count, dim, harmless, oneLine, table } from './output.ts'
import { needTypedPage } from './users-yes.ts'

export interface PageSetOptions {
  text?: string
  file?: string
  append?: boolean
}

export function runPageSet(context: Context, given: string, options: PageSetOptions): number {
  const { store, out, isDryRun } = context
  const name = checkedName(given)
  const text = givenText(context, options)
  needTypedPage(context, text, name)
  const how = options.append === true ? 'append' : 'replace'
  const work = (): Omit<ReturnType<typeof planPage>, 'write'> => {
    const { write, ...page } = planPage(store, name, text, how)
    if (!isDryRun) write()
    return page
  }
  const page = isDryRun ? work() : underLock(store, COMMAND_WAIT_MS, work)
  const file = path.join(store.dir, page.file)
  out.json({ name, file, bytes: page.bytes, redactions: page.redactions, dryRun: isDryRun })
  out.say(
    `${isDryRun ? 'Would write' : 'Wrote'} ${file} (${bytes(page.bytes)}).`,
    ...(page.redactions > 0 ? [`${count(page.redactions, 'secret')} redacted.`] : []),
  )
  return 0
}

export function runPageGet({ store, out }: Context, given: string): number {
  const name = checkedName(given)
  const page = readPage(store, name)
  if (page === null)
    throw noPage(
      name,
      store.dir,
      readPages(store).map((other) => other.name),
    )
  out.json(page)
  out.say(harmless(page.text.replace(/\n$/, '')))
  if (page.bytes > Buffer.byteLength(page.text) + 3) {
    out.warn(`Only the first 64 KB are shown and used; the page has ${bytes(page.bytes)}.`)
  }
  return 0
}

export function runPageList({ store, out }: Context): number {
  const pages = readPages(store).map((page) => ({
    name: page.name,
    bytes: page.bytes,
    isEmpty: isUntouchedTemplate(page.name, page.text) || pageText(page.text) === '',
    about: oneLine(pageText(page.text).replace(/^#.*$/gm, ''), 60),
  }))
  out.json({ pages })
  if (pages.length === 0) out.say('No pages yet. memory-keeper init writes templates; memory-keeper page set project')
  else {
    out.say(
      ...table(
        pages.map((page) => [page.name, bytes(page.bytes), dim(page.isEmpty ? 'not filled in: not told' : page.about)]),
      ),
    )
  }
  return 0
}

function checkedName(given: string): string {
  const name = pageName(given)
  if (name !== null) return name
  throw new KeeperError(
    'usage',
    `"${harmless(given)}" cannot be the name of a page. Use letters, digits and hyphens, like api-notes; memory, rules, claude and names that Windows keeps for devices are taken.`,
  )
}

function givenText(context: Context, { text, file }: PageSetOptions): string {
  if (text !== undefined && file !== undefined)
    throw new KeeperError('usage', 'Give either --text or --file, not both.')
  const said = text ?? (file === undefined ? fromStdin(context) : fromFile(path.resolve(context.world.cwd, file)))
  if (said.trim() === '') {
    throw new KeeperError(
      'empty-page',
      'The text is empty: nothing was changed. Give it with --text, --file or on stdin.',
    )
  }
  return said
}

function fromStdin({ world }: Context): string {
  if (!world.isStdinTerminal) return world.readStdin()
  throw new KeeperError('usage', 'Give the text with --text "…" or --file FILE, or on standard input.')
}

function fromFile(file: string): string {
  const text = ['file', 'link'].includes(factsOf(file)?.kind ?? '') ? readText(file) : null
  if (text === null)
    throw new KeeperError('no-file', `${file} is not there or not a file. Give a text file with --file.`)
  if (text.includes('\u0000')) throw new KeeperError('not-text', `${file} is not a text file. Give one with --file.`)
  return text
}

function noPage(name: string, dir: string, others: readonly string[]): KeeperError {
  const rest = others.length === 0 ? 'There are no pages yet.' : `There are: ${others.join(', ')}.`
  return new KeeperError(
    'no-page',
    `There is no page ${name} in ${dir}. ${rest} To write it: memory-keeper page set ${name} --text "…"`,
  )
}
