/**
 * Whose program is at the other end of a connection on this machine. A token may be seen by other users (in a list of
 * processes, while a browser is started with it) and browsers send a cookie to every port: where the system tells whose a
 * connection is, only the user himself is answered.
 */
import { readSystem } from '../platform/disk/files.ts'

/** Linux keeps them there, one line for each end of a connection. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const
const LISTENS = '0A'

/** 127.0.0.1 in the byte order of either kind of machine; the same inside of an IPv6 address. */
const HERE = /(?:0100007F|7F000001)$/

interface End {
  /** Both ends have the address that we listen on. */
  isHere: boolean
  own: number
  other: number
  state: string
  uid: number
  /** 0: the program has let go of it. */
  inode: number
}

/** True where the system does not say. */
export function isOwnPeer(peerPort: number, port: number, uid: number | undefined): boolean {
  if (uid === undefined) return true
  return isOwnEnd(TABLES.map((file) => readSystem(file) ?? '').join('\n'), peerPort, port, uid)
}

/** `table`: as Linux writes it. The administrator may everything anyway. */
export function isOwnEnd(table: string, peerPort: number, port: number, uid: number): boolean {
  const ends = parseEnds(table)
  // Where not even our own end is told, nothing can be concluded from it.
  if (!ends.some(({ own, state }) => own === port && state === LISTENS)) return true
  const peer = ends.find(({ own, other, isHere }) => isHere && own === peerPort && other === port)
  return peer !== undefined && peer.inode > 0 && (peer.uid === uid || peer.uid === 0)
}

/** `0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000 1000 0 12345 …` */
function parseEnds(table: string): End[] {
  return table.split('\n').flatMap((line) => {
    const [, own = '', other = '', state = '', , , , uid = '', , inode = ''] = line.trim().split(/\s+/)
    const addresses = [own, other].map((end) => end.split(':')[0] ?? '')
    const [ownPort, otherPort] = [own, other].map((end) => Number.parseInt(end.split(':')[1] ?? '', 16)) as [
      number,
      number,
    ]
    if (Number.isNaN(ownPort) || Number.isNaN(otherPort) || !/^\d+$/.test(uid)) return []
    const isHere = addresses.every((address) => HERE.test(address))
    return [{ isHere, own: ownPort, other: otherPort, state, uid: Number(uid), inode: Number(inode) }]
  })
}
