/**
 * Writes a model's name as one segment of a path. Colons and at-signs stay, since providers write them so in names of
 * their own; slashes do not, and no name becomes a step to somewhere else.
 */
export const pathPart = (name: string): string => {
  if (name === '.' || name === '..') return name.replaceAll('.', '%252E')
  return encodeURIComponent(name.toWellFormed()).replaceAll('%3A', ':').replaceAll('%40', '@')
}

/** The text of a part of a path; undefined if its escapes are none of UTF-8. */
export const decodedPart = (part: string): string | undefined => {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
