/** A machine's branch as it is read: only files that its own key signed. What else is in it is never looked at. */
import { KeeperError } from '../../platform/error.ts'
import { MANIFEST_FILE, parseSignedList, SIGNATURE_FILE, type SignedList } from '../manifest.ts'
import type { Git } from './git.ts'
import { idOfKey, isSigned, sum } from './record.ts'
import { readFiles } from './repository.ts'

const MOST_MANIFEST_BYTES = 16 * 1024 * 1024
/** Of all files of a project. */
const MOST_PROJECT_BYTES = 512 * 1024 * 1024

export interface Branch {
  commit: string
  manifest: SignedList
  /** Each by its path. Throws where one of them is not as it was signed. */
  read: (paths: readonly string[]) => Buffer[]
}

/** Throws `bad-branch` with the reason. */
export function readBranch(git: Git, id: string, commit: string): Branch {
  const [text, signature] = readFiles(git, commit, [MANIFEST_FILE, SIGNATURE_FILE], MOST_MANIFEST_BYTES)
  const manifest = text === undefined ? null : parseSignedList(text.toString('utf8'))
  if (text === undefined || signature === undefined || manifest === null) throw bad('its list of files cannot be read')
  if (manifest.machine !== id || idOfKey(Buffer.from(manifest.key, 'base64')) !== id)
    throw bad('it names the key of another machine')
  if (!isSigned(text, Buffer.from(signature.toString('latin1'), 'base64'), manifest.key))
    throw bad('its signature is wrong')
  const read = (paths: readonly string[]): Buffer[] =>
    readFiles(git, commit, paths, MOST_PROJECT_BYTES).map((bytes, i) => {
      if (sum(bytes) !== manifest.files[paths[i] ?? '']) throw bad(`${paths[i]} is not as it was signed`)
      return bytes
    })
  return { commit, manifest, read }
}

function bad(why: string): KeeperError {
  return new KeeperError('bad-branch', why)
}
