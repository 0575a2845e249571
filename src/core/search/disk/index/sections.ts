/** A file of numbered sections that is written once. Each page has a checksum, so that a changed byte is noticed when it is read. */
import type { OpenFile } from '../../../../kernel/platform/disk/files.ts'

const PAGE = 4096
/** Bytes that are collected before a write. */
const CHUNK = 1024 * 1024
/** Bytes per read if many are read in order. */
const WINDOW = 128 * 1024

/** The data needed to read such a file. */
export interface SectionSizes {
  /** Bytes of each section. */
  sizes: readonly number[]
  /** The checksum of the checksums of all pages, which follow the last section. */
  sum: number
}

export interface SectionWriter {
  /** Appends to the current section. */
  add(bytes: ArrayBufferView): void
  /** Starts the next section. */
  endSection(): void
  end(): SectionSizes
}

/** `append` must have consumed the bytes when it returns. */
export function writeSections(append: (bytes: Uint8Array) => void): SectionWriter {
  const chunk = new Uint8Array(CHUNK + PAGE)
  const page = new Uint8Array(PAGE)
  const sizes: number[] = []
  let sums = new Uint32Array(16)
  let [used, inPage, size, pages] = [0, 0, 0, 0]
  const endPage = (): void => {
    const end = padded(inPage)
    page.fill(0, inPage, end)
    if (pages === sums.length) sums = grown(sums, pages * 2)
    sums[pages++] = sumOf(page, end)
    chunk.set(page.subarray(0, end), used)
    used += end
    inPage = 0
    if (used < CHUNK) return
    append(chunk.subarray(0, used))
    used = 0
  }
  return {
    add: ({ buffer, byteOffset, byteLength }) => {
      size += byteLength
      for (let done = 0; done < byteLength; ) {
        const count = Math.min(PAGE - inPage, byteLength - done)
        page.set(new Uint8Array(buffer, byteOffset + done, count), inPage)
        inPage += count
        done += count
        if (inPage === PAGE) endPage()
      }
    },
    endSection: () => {
      if (inPage > 0) endPage()
      sizes.push(size)
      size = 0
    },
    end: () => {
      const all = bytesOf(sums.subarray(0, pages))
      append(chunk.subarray(0, used))
      append(all)
      return { sizes, sum: sumOf(all, all.length) }
    },
  }
}

export interface Sections {
  size(section: number): number
  /** Null: damaged, or the section is shorter. `take` gives the room for more than one page. */
  read(section: number, from: number, length: number, take?: (size: number) => Uint8Array): Uint8Array | null
  /** Reads the whole section into an array of the same size. */
  readAll(section: number, into: Uint8Array): boolean
  /** Reads parts of a section in order, with large reads; each part is valid until the next is requested. */
  readInOrder(section: number): (from: number, to: number) => Uint8Array
  /** A read found a wrong checksum. */
  readonly isDamaged: boolean
  close(): void
}

export function openSections(file: OpenFile, { sizes, sum }: SectionSizes): Sections {
  let at = 0
  let pages = 0
  const places = sizes.map((size) => {
    const place = { at, pages }
    at += padded(size)
    pages += Math.ceil(size / PAGE)
    return place
  })
  let sums: Uint32Array | null = null
  let isDamaged = false
  const readSums = (): Uint32Array => {
    const all = new Uint32Array(pages)
    const bytes = bytesOf(all)
    if (file.read(bytes, at) < bytes.length || sumOf(bytes, bytes.length) !== sum) isDamaged = true
    return all
  }
  /** Reads from the beginning of a page on. */
  const fill = (section: number, from: number, into: Uint8Array): boolean => {
    sums ??= readSums()
    const place = places[section] ?? { at: 0, pages: 0 }
    if (file.read(into, place.at + from) < into.length) isDamaged = true
    for (let begin = 0; begin < into.length && !isDamaged; begin += PAGE) {
      const page = into.subarray(begin, begin + PAGE)
      if (sumOf(page, page.length) !== sums[place.pages + (from + begin) / PAGE]) isDamaged = true
    }
    return !isDamaged
  }
  const sizeOf = (section: number): number => sizes[section] ?? 0
  /** The last page that was read alone: the next request is often beside it. */
  let last: { section: number; begin: number; bytes: Uint8Array } | null = null
  return {
    size: sizeOf,
    read: (section, from, length, take = newBytes) => {
      const begin = from - (from % PAGE)
      const end = Math.min(padded(sizeOf(section)), Math.ceil((from + length) / PAGE) * PAGE)
      if (from + length > sizeOf(section)) return null
      let bytes = last?.section === section && last.begin === begin && end - begin <= PAGE ? last.bytes : null
      if (bytes === null) {
        bytes = end - begin <= PAGE ? new Uint8Array(end - begin) : take(end - begin)
        if (!fill(section, begin, bytes)) return null
        if (end - begin <= PAGE) last = { section, begin, bytes }
      }
      return bytes.subarray(from - begin, from - begin + length)
    },
    readInOrder: (section) => {
      let room = new Uint8Array(0)
      let [begin, end] = [0, 0]
      return (from, to) => {
        if (from < begin || to > end) {
          begin = from - (from % PAGE)
          end = Math.min(padded(sizeOf(section)), Math.ceil(Math.max(to, begin + WINDOW) / PAGE) * PAGE)
          if (room.length < end - begin) room = new Uint8Array(end - begin)
          if (!fill(section, begin, room.subarray(0, end - begin))) return room.subarray(0, 0)
        }
        return room.subarray(from - begin, to - begin)
      }
    },
    readAll: (section, into) => {
      const size = sizeOf(section)
      if (into.length === padded(size) && into.byteOffset % 4 === 0) return fill(section, 0, into)
      const bytes = new Uint8Array(padded(size))
      const isSound = fill(section, 0, bytes)
      into.set(bytes.subarray(0, size))
      return isSound
    },
    get isDamaged() {
      return isDamaged
    },
    close: () => file.close(),
  }
}

function newBytes(size: number): Uint8Array {
  return new Uint8Array(size)
}

/** Bytes of the whole file. */
export function sizeOfSections({ sizes }: SectionSizes): number {
  return sizes.reduce((all, size) => all + padded(size) + 4 * Math.ceil(size / PAGE), 0)
}

export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** A copy with this much room. */
export function grown(old: Uint32Array, room: number): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(room)
  next.set(old)
  return next
}

function padded(size: number): number {
  return Math.ceil(size / 4) * 4
}

/** Any single changed word gives another checksum. `length` is a multiple of four. Four independent sums run in parallel. */
function sumOf({ buffer, byteOffset }: Uint8Array, length: number): number {
  const words = new Int32Array(buffer, byteOffset, length >> 2)
  let [a, b, c, d] = [1, 2, 3, 4]
  let i = 0
  for (; i + 3 < words.length; i += 4) {
    a = (Math.imul(a, 31) + (words[i] as number)) | 0
    b = (Math.imul(b, 31) + (words[i + 1] as number)) | 0
    c = (Math.imul(c, 31) + (words[i + 2] as number)) | 0
    d = (Math.imul(d, 31) + (words[i + 3] as number)) | 0
  }
  for (; i < words.length; i++) a = (Math.imul(a, 31) + (words[i] as number)) | 0
  return (Math.imul(Math.imul(Math.imul(a, 31) + b, 31) + c, 31) + d) >>> 0
}
