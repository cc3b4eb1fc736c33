/** Where the value of a member begins whose name stands at `at`; -1 if it is no member's name. */
export const valueAfter = (bytes: Buffer, name: Buffer, at: number): number => {
  const colon = afterBlanks(bytes, at + name.length)
  return bytes[colon] === COLON ? afterBlanks(bytes, colon + 1) : -1
}

/**
 * Whether a JSON text has a member of this name whose value is not null. Quotation marks inside of texts are escaped, so
 * that nothing that somebody says can look like one.
 *
 * @param name With its quotation marks.
 */
export const hasMember = (bytes: Buffer, name: Buffer): boolean => {
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + name.length)) {
    const value = valueAfter(bytes, name, at)
    if (value >= 0 && bytes[value] !== LOWER_N) return true
  }
  return false
}

/** The first byte from there on that is no blank. */
export const afterBlanks = (bytes: Buffer, from: number): number => {
  let at = from
  while (bytes[at] === SPACE || bytes[at] === TAB) at++
  return at
}

/** The last byte up to there that is no blank. */
export const beforeBlanks = (bytes: Buffer, from: number): number => {
  let at = from
  while (bytes[at] === SPACE || bytes[at] === TAB) at--
  return at
}

const SPACE = 0x20
const TAB = 0x09
const COLON = 0x3a
const LOWER_N = 0x6e
