/**
 * The host names that a listener and a route have in common; a route without host names has those of the listener.
 * Wildcards stand for one or more labels: `*.example.com` covers `a.b.example.com`, not `example.com`. An empty name
 * means all hosts. The result is empty if they have nothing in common.
 *
 * @example
 * hostnameIntersection('*.example.com', ['a.example.com', 'b.test']) // ['a.example.com']
 */
export const hostnameIntersection = (
  listener: string | undefined,
  route: readonly string[] | undefined,
): readonly string[] => {
  const outer = (listener ?? '').toLowerCase()
  if (!route?.length) return [outer]
  return [
    ...new Set(
      route.flatMap((name) => {
        const inner = name.toLowerCase()
        if (covers(outer, inner)) return [inner]
        return covers(inner, outer) ? [outer] : []
      }),
    ),
  ]
}

const covers = (pattern: string, name: string): boolean =>
  pattern === '' || pattern === name || (pattern.startsWith('*.') && name.endsWith(pattern.slice(1)))
