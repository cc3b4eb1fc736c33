/** Longer ones are of no use to anybody. */
const MOST_CHARACTERS = 8_192

/**
 * Where a server takes messages, as path and query, from what it says about it: that may be relative to where its stream
 * is, or absolute. A host that it names is not looked at. Messages go to the server that was configured and nowhere else.
 *
 * @returns Undefined if it makes no sense.
 */
export const endpointIn = (said: string, streamPath: string): string | undefined => {
  if (said.length > MOST_CHARACTERS) return undefined
  // Any host will do, since none of it is left.
  const url = URL.parse(said, `http://server.invalid${streamPath}`)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  return url.pathname + url.search
}
