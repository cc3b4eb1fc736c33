import { createHash } from 'node:crypto'

/** What clients accept as the name of a tool, apart from its length. */
const acceptable = /^[A-Za-z0-9_./-]+$/
/** How a shortened name ends. */
const shortened = /__[0-9a-f]{16}$/
const SUFFIX_LENGTH = '__'.length + 16

/** The least length that leaves something of the name to be read. */
export const SHORTEST_LIMIT = SUFFIX_LENGTH + 6

/**
 * The name itself if clients accept it, else one that they do: as much of it as fits, and a hash of the whole. The same
 * name is shortened in the same way everywhere and always. A name that looks as if it had been shortened is shortened too,
 * so that `isShortened` is never wrong.
 */
export const shortName = (name: string, maxLength: number): string => {
  if (name.length <= maxLength && acceptable.test(name) && !isShortened(name)) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${name.slice(0, maxLength - SUFFIX_LENGTH).replaceAll(/[^A-Za-z0-9_./-]/g, '_')}__${hash}`
}

/** @returns Whether `shortName` made it. */
export const isShortened = (name: string): boolean => shortened.test(name)
