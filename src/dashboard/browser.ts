/** Opens an address in the user's browser, without a shell: nothing in it is read as a command. */
import childProcess from 'node:child_process'

/** False: there is no such program, or it failed at once. */
export function openInBrowser(url: string, platform: string): Promise<boolean> {
  const [program, ...args] = openerOf(platform)
  return new Promise((resolve) => {
    const child = childProcess.spawn(program, [...args, url], { stdio: 'ignore', detached: true, windowsHide: true })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
    // Some stay as long as the browser does.
    setTimeout(() => resolve(true), WAIT_MS).unref()
    child.unref()
  })
}

const WAIT_MS = 1_500

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
