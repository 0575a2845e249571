/** Which project it is on every machine: the address of its git origin, spelled in one way, or a name that the user gave it. */

const MAX_KEY = 300

/** `git@host:a/b.git`, `ssh://git@host/a/b` and `https://user@host/a/b.git` are one address. Null: it is a path of this machine. */
export function keyOfAddress(address: string): string | null {
  const url = /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/+(.+)$/i.exec(address)
  const scp = url === null && !address.includes('://') ? /^(?:[^@/\\:]+@)?([^@/\\:]{2,}):(.+)$/.exec(address) : null
  const [, host = '', below = ''] = url ?? scp ?? []
  const name = below.replace(/^[/~]+|\/+$/g, '').replace(/\.git$/i, '')
  const key = `${host}/${name}`.toLowerCase().normalize('NFC')
  return host === '' || name === '' || key.length > MAX_KEY || HIDDEN.test(key) ? null : key
}

/** The user's own name for a project has no slash: it is never taken for an address. Null: it cannot be used. */
export function keyOfName(name: string): string | null {
  const key = name.trim().toLowerCase().normalize('NFC')
  return key === '' || key.length > 100 || /[/\\]/.test(key) || HIDDEN.test(key) ? null : `name:${key}`
}

const HIDDEN = /[\p{C}\s]/u

/** The address of `origin` in the text of a repository's config; null: it names none. */
export function originIn(config: string): string | null {
  let isOrigin = false
  for (const line of config.split(/\r?\n/)) {
    if (/^\s*\[/.test(line)) isOrigin = /^\s*\[remote "origin"\]/.test(line)
    const value = isOrigin ? /^\s*url\s*=\s*"?([^"#;]*?)"?\s*(?:[#;].*)?$/i.exec(line)?.[1] : undefined
    if (value !== undefined && value !== '') return value
  }
  return null
}
