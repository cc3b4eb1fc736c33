/**
 * The original spelling of names, by lower-case name, for a message that is forwarded with it. If a message
 * has two spellings of a name, the first is used.
 *
 * @param raw Names and values alternating, as received.
 */
export const fieldSpelling = (raw: readonly (Buffer | string)[]): Map<string, string> => {
  const spelling = new Map<string, string>()
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const text = raw[i] ?? ''
    const name = typeof text === 'string' ? text : text.toString('latin1')
    const lower = name.toLowerCase()
    if (!spelling.has(lower)) spelling.set(lower, name)
  }
  return spelling
}
