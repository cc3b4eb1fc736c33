import { createHash } from 'node:crypto'

/** Tool names that clients accept, apart from the length. */
const acceptable = /^[A-Za-z0-9_./-]+$/
/** The end of a shortened name. */
const shortened = /__[0-9a-f]{16}$/
const SUFFIX_LENGTH = '__'.length + 16

/** The least length that leaves a readable part of the name. */
export const SHORTEST_LIMIT = SUFFIX_LENGTH + 6

/**
 * The name itself if clients accept it, else a shortened one: its beginning and a hash of the whole. The result is
 * deterministic. A name that looks shortened is shortened too, so that `isShortened` is never wrong.
 */
export const shortName = (name: string, maxLength: number): string => {
  if (name.length <= maxLength && acceptable.test(name) && !isShortened(name)) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${name.slice(0, maxLength - SUFFIX_LENGTH).replaceAll(/[^A-Za-z0-9_./-]/g, '_')}__${hash}`
}

/** @returns Whether `shortName` made it. */
export const isShortened = (name: string): boolean => shortened.test(name)
