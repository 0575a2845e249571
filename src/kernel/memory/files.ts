/** The kinds of files of the store itself: state, settings, marks, logs, what was set aside. */

import {
  CONFIG_FILE,
  GITATTRIBUTES_FILE,
  GITIGNORE_FILE,
  isSetAside,
  isSettledFile,
  LOCK_FILE,
  LOGS_DIR,
  NOTICES_FILE,
  OWNER_FILE,
  SESSIONS_DIR,
  SETTLED_DIR,
  STATE_FILE,
} from '../platform/layout.ts'
import { type FileKind, nameIn } from './file-kind.ts'
import { withoutLines } from './forgetting.ts'

const SETTLED = `${SESSIONS_DIR}/${SETTLED_DIR}`

export const MEMORY_FILES: readonly FileKind[] = [
  {
    name: 'set-aside',
    title: 'left over',
    match: (path) => isSetAside(nameIn(path)),
    isOurs: true,
    without: (text, { path }, about) => withoutLines(path, text, about.isTold),
  },
  {
    name: 'log',
    title: 'logs',
    match: (path) => path.startsWith(`${LOGS_DIR}/`) || path.endsWith('.log'),
    place: LOGS_DIR,
    isKept: false,
    isOurs: true,
    without: (text, { path }, about) => withoutLines(path, text, about.isTold),
  },
  {
    name: 'state',
    title: 'how far each transcript is captured',
    match: (path) => nameIn(path) === STATE_FILE,
    at: '',
    place: STATE_FILE,
    arriving: 'content',
    forgets: 'state',
    isVerbatim: true,
    isOurs: true,
  },
  {
    name: 'settled',
    title: 'the same of sessions that nothing is left to do about',
    match: (path) => path === `${SETTLED}/${nameIn(path)}` && isSettledFile(nameIn(path)),
    place: SETTLED,
    forgets: 'state',
    isOurs: true,
  },
  {
    name: 'config',
    title: "this project's settings",
    match: (path) => nameIn(path) === CONFIG_FILE,
    at: '',
    arriving: 'ours',
    isUsersOnly: true,
    isVerbatim: true,
    forgets: 'never',
  },
  {
    name: 'notices',
    title: 'which notices were shown',
    match: (path) => nameIn(path) === NOTICES_FILE,
    place: NOTICES_FILE,
    isOurs: true,
  },
  {
    name: 'mark',
    title: 'whose memory it is, and who writes',
    match: (path) => [OWNER_FILE, LOCK_FILE].includes(nameIn(path)),
    forgets: 'never',
    isOurs: true,
    isKept: false,
  },
  {
    name: 'git',
    title: 'what git leaves out',
    match: (path) => [GITIGNORE_FILE, GITATTRIBUTES_FILE].includes(nameIn(path)),
    forgets: 'never',
    isOurs: true,
  },
  {
    name: 'temporary',
    title: 'left over',
    match: (path) => path.endsWith('.tmp'),
    forgets: 'never',
    isOurs: true,
    isKept: false,
  },
  { name: 'hidden', title: 'a mark', match: (path) => /^\.|\.lock$/.test(nameIn(path)), isOurs: true },
]
