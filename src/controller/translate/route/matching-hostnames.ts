/**
 * The host names of a route that a listener serves. A route without host names serves all of the listener: then the
 * result is one empty name. It is empty if listener and route have no host in common.
 *
 * Wildcards stand for one or more labels: `*.example.com` covers `a.b.example.com`, not `example.com`.
 *
 * @example
 * matchingHostnames('*.example.com', ['a.example.com', 'b.test']) // ['a.example.com']
 */
export const matchingHostnames = (
  listener: string | undefined,
  route: readonly string[] | undefined,
): readonly string[] => {
  if (!route?.length) return ['']
  const outer = (listener ?? '').toLowerCase()
  const names = route.map((name) => name.toLowerCase())
  return [...new Set(names.filter((name) => covers(outer, name) || covers(name, outer)))]
}

const covers = (pattern: string, name: string): boolean =>
  pattern === '' || pattern === name || (pattern.startsWith('*.') && name.endsWith(pattern.slice(1)))
