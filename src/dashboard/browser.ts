/** Opens the page in the user's browser, without a shell and without the token on a command line, which other users can read. */
import childProcess from 'node:child_process'
import url from 'node:url'
import { disk } from '../platform/disk/files.ts'
import { findProgram, type ProgramSearch } from '../trust/disk/find-program.ts'
import { plainPage } from './page.ts'

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
