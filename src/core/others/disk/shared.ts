/** Shared memory in the project: lists the folders of people, and records which contents the user has accepted. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { disk, list, readPart, statOf } from '../../../kernel/platform/disk/files.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import { SHARED_DIR } from '../../../kernel/platform/layout.ts'
import { isWho, SHARED_FILES } from '../../../kernel/trust/share-files.ts'

/** The limit of one file; larger ones are not read. */
const MOST_BYTES = 4 * 1024 * 1024
const MOST_PEOPLE = 200

export interface Person {
  who: string
  dir: string
  /** The names of the files to read. */
  files: readonly string[]
  /** Size, time and inode of each file, to detect changes. */
  mark: string
  /** The sizes of the files, which usually change when somebody adds to them. */
  sizes: string
  /** Too large, or a link: it is never read. */
  isUnfit: boolean
}

/** Without the user's own folder, which is a copy for others. A link in place of a folder is skipped. */
export function peopleIn(places: Places): Person[] {
  const shared = path.join(places.inProject, SHARED_DIR)
  if (statOf(shared)?.kind !== 'dir') return []
  const mine = readSharing(places).as
  return list(shared)
    .filter((who) => isWho(who) && who !== mine)
    .slice(0, MOST_PEOPLE)
    .map((who) => personAt(who, path.join(shared, who)))
    .filter(({ files, isUnfit }) => files.length > 0 || isUnfit)
}

function personAt(who: string, dir: string): Person {
  const isFolder = statOf(dir)?.kind === 'dir'
  const found = SHARED_FILES.flatMap((name) => {
    const facts = isFolder ? statOf(path.join(dir, name)) : null
    return facts === null ? [] : [{ name, ...facts }]
  })
  return {
    who,
    dir,
    files: found.map(({ name }) => name),
    mark: found.map(({ name, size, mtimeMs, ino }) => `${name} ${size} ${mtimeMs} ${ino}`).join('\n'),
    sizes: found.map(({ size }) => size).join(),
    isUnfit: !isFolder || found.some(({ kind, size }) => kind !== 'file' || size > MOST_BYTES),
  }
}

/** People whose files are byte for byte as the user has seen them. A foreign memory has no teammates either. */
export function trustedPeople({ places, ownership }: Pick<Store, 'places' | 'ownership'>): Person[] {
  if (ownership === 'foreign') return []
  const people = peopleIn(places)
  if (people.length === 0) return []
  const { trusted } = readSharing(places)
  return people.filter((person) => isTrusted(person, trusted.get(person.who)))
}

/** People whose content is not accepted yet. */
export function untrustedPeople(places: Places): (Person & { isChanged: boolean })[] {
  const { trusted } = readSharing(places)
  return peopleIn(places)
    .filter((person) => !isTrusted(person, trusted.get(person.who)))
    .map((person) => ({ ...person, isChanged: trusted.has(person.who) }))
}

/** The mark is nearly always enough; but git may rewrite a file without changing it. */
function isTrusted(person: Person, known: Trusted | undefined): boolean {
  if (known === undefined || person.isUnfit) return false
  return known.mark === person.mark || known.print === printOf(person)
}

function printOf({ dir, files }: Person): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  for (const name of files) {
    const bytes = readPart(path.join(dir, name), 0, MOST_BYTES, MOST_BYTES) ?? Buffer.alloc(0)
    hash.update(`${name} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}

export function sharedText(dir: string, name: string): string {
  return readPart(path.join(dir, name), 0, MOST_BYTES, MOST_BYTES)?.toString('utf8') ?? ''
}

interface Trusted {
  /** A fingerprint of the contents. */
  print: string
  mark: string
}

interface Sharing {
  /** The user's own folder; null: the user shares nothing. */
  as: string | null
  trusted: ReadonlyMap<string, Trusted>
}

export function readSharing(places: Places): Sharing {
  const raw = parseObject(readPart(recordOf(places), 0, MOST_BYTES)?.toString('utf8') ?? '') ?? {}
  const as = typeof raw.as === 'string' && isWho(raw.as) ? raw.as : null
  const rows = Array.isArray(raw.trusted) ? raw.trusted : []
  const trusted = rows.flatMap((row: unknown): [string, Trusted][] => {
    const [who, print, mark] = Array.isArray(row) ? row : []
    return [who, print, mark].every((one) => typeof one === 'string') ? [[who, { print, mark }]] : []
  })
  return { as, trusted: new Map(trusted) }
}

export function trustPeople(places: Places, people: readonly Person[]): void {
  const fresh = people.filter(({ isUnfit }) => !isUnfit)
  const rows = fresh.map((one): [string, Trusted] => [one.who, { print: printOf(one), mark: one.mark }])
  keepSharing(places, { trusted: new Map([...readSharing(places).trusted, ...rows]) })
}

/** The person's content is no longer read, until it is shown and trusted again. */
export function untrustPerson(places: Places, who: string): void {
  keepSharing(places, { trusted: new Map([...readSharing(places).trusted].filter(([one]) => one !== who)) })
}

export function keepSharing(places: Places, change: Partial<Sharing>): void {
  const { as, trusted } = { ...readSharing(places), ...change }
  const rows = [...trusted].map(([who, { print, mark }]) => [who, print, mark])
  disk.replace(recordOf(places), `${JSON.stringify({ version: 1, as, trusted: rows })}\n`)
}

function recordOf({ trustRecord }: Places): string {
  return trustRecord.replace(/\.json$/, '.shared.json')
}
