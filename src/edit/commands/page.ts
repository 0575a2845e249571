/** `page`: texts about the project that are kept by hand, and told when a session starts. */

import path from 'node:path'
import { type Command, inProject } from '../../memory/commands/command.ts'
import type { Context } from '../../memory/commands/context.ts'
import { bytes, dim, harmless, oneLine, table } from '../../memory/commands/output.ts'
import { readPage, readPages } from '../../pages/disk/pages.ts'
import { isUntouchedTemplate, pageText } from '../../pages/page.ts'
import { readText } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { checkedPageName } from '../disk/hand-notes.ts'
import { perform } from './by-hand.ts'

interface PageSetOptions {
  text?: string
  file?: string
  append?: boolean
}

function runPageGet({ store, out }: Context, given: string): number {
  const name = checkedPageName(given)
  const page = readPage(store, name)
  if (page === null) {
    const others = readPages(store).map((other) => other.name)
    const rest = others.length === 0 ? 'There are no pages yet.' : `There are: ${others.join(', ')}.`
    throw new KeeperError(
      'no-page',
      `There is no page ${name} in ${store.dir}. ${rest} To write it: memory-keeper page set ${name} --text "…"`,
    )
  }
  out.json(page)
  out.say(harmless(page.text.replace(/\n$/, '')))
  if (page.bytes > Buffer.byteLength(page.text) + 3) {
    out.warn(`Only the first 64 KB are shown and used; the page has ${bytes(page.bytes)}.`)
  }
  return 0
}

function runPageList({ store, out }: Context): number {
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

function givenText({ world }: Context, { text, file }: PageSetOptions): string {
  if (text !== undefined && file !== undefined)
    throw new KeeperError('usage', 'Give either --text or --file, not both.')
  if (text === undefined && file === undefined && world.isStdinTerminal)
    throw new KeeperError('usage', 'Give the text with --text "…" or --file FILE, or on standard input.')
  const said = text ?? (file === undefined ? world.readStdin() : fromFile(path.resolve(world.cwd, file)))
  if (said.trim() !== '') return said
  throw new KeeperError(
    'empty-page',
    'The text is empty: nothing was changed. Give it with --text, --file or on stdin.',
  )
}

function fromFile(file: string): string {
  const text = readText(file)
  if (text === null)
    throw new KeeperError('no-file', `${file} is not there or not a file. Give a text file with --file.`)
  if (text.includes('\u0000')) throw new KeeperError('not-text', `${file} is not a text file. Give one with --file.`)
  return text
}

export const PAGE_COMMANDS: readonly Command[] = [
  {
    usage: 'page set <name>',
    about: 'write a page: a text about the project that is injected when a session starts',
    options: [
      { flags: '--text <text>', about: 'the text; without this and --file it is read from stdin' },
      { flags: '--file <file>', about: 'a file with the text' },
      { flags: '--append', about: 'add it to the end of the page' },
    ],
    writes: true,
    example: 'memory-keeper page set project --text "A web shop for bicycle parts."',
    run: inProject((context, options: PageSetOptions, [name = '']) =>
      perform(context, {
        do: 'set-page',
        name: checkedPageName(name),
        text: givenText(context, options),
        how: options.append === true ? 'append' : 'replace',
      }),
    ),
  },
  {
    usage: 'page get <name>',
    isVerbatim: true,
    about: 'print a page',
    example: 'memory-keeper page get architecture',
    run: inProject((context, _, [name = '']) => runPageGet(context, name)),
  },
  {
    usage: 'page list',
    about: 'the pages, and which of them say something',
    example: 'memory-keeper page list',
    run: inProject(runPageList),
  },
]
