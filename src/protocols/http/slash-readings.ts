/** Whether a normalised path contains an encoded slash or backslash. */
export const hasEncodedSlash = (path: string): boolean => path.includes('%2F') || path.includes('%5C')

/**
 * The paths that servers which decode separators may read: slashes, backslashes or both decoded, and
 * repeated slashes merged. These contain no dot segments, since a path with dots beside an encoded separator
 * is refused.
 *
 * @example
 * slashReadings('/a%2Fb') // ['/a/b']
 */
export const slashReadings = (path: string): readonly string[] => {
  const slashes = path.replaceAll('%2F', '/')
  const readings = new Set<string>()
  for (const reading of [slashes, path.replaceAll('%5C', '/'), slashes.replaceAll('%5C', '/')])
    readings.add(reading).add(reading.replace(/\/{2,}/g, '/'))
  readings.delete(path)
  return [...readings]
}
