/**
 * Encodes a model's name as one segment of a path. Colons and at-signs are kept, since names of providers contain them.
 * Slashes are encoded, and so are dot segments: no name leads to another path.
 */
export const pathPart = (name: string): string => {
  if (name === '.' || name === '..') return name.replaceAll('.', '%252E')
  return encodeURIComponent(name.toWellFormed()).replaceAll('%3A', ':').replaceAll('%40', '@')
}

/** Decodes a segment of a path; undefined if its percent-encoding is not UTF-8. */
export const decodedPart = (part: string): string | undefined => {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
