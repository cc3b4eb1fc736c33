import type { Explanation, RequestVerdict } from '../explain/explanation.ts'

/** The way of a request through a configuration, in parts that can be compared. */
export interface RequestWay {
  readonly listener: string
  readonly route: string
  /** With their values. */
  readonly policies: readonly string[]
  readonly backends: readonly string[]
  readonly verdict: readonly string[]
}

/** A part of the way that differs. */
export interface WayChange {
  readonly part: keyof RequestWay
  /** What only the first configuration has. */
  readonly before: readonly string[]
  /** What only the second one has. */
  readonly after: readonly string[]
}

/** The way that an explanation describes. */
export const wayOf = ({ listener, routes, policies, backends, verdicts }: Explanation): RequestWay => ({
  listener: listener?.key ?? 'none',
  route:
    routes.map(({ name, rule }) => (rule === undefined ? name : `${name}/${rule}`)).join(' → ') || 'none',
  policies: policies.map(({ policy, level, value }) => `${policy} (${level}) ${JSON.stringify(value)}`),
  backends: backends.map(
    ({ name, targets, share }) =>
      `${shortName(name)} ${targets.join(', ')} ${String(Math.round(share * 100))} %`,
  ),
  verdict: verdicts.map(verdictText),
})

/** What differs between two ways; nothing if the request goes the same. */
export const wayChanges = (a: RequestWay, b: RequestWay): readonly WayChange[] =>
  parts.flatMap((part): WayChange[] => {
    const [before, after] = [a, b].map((way) => [way[part]].flat())
    const gone = without(before, after)
    const come = without(after, before)
    return gone.length + come.length === 0 ? [] : [{ part, before: gone, after: come }]
  })

/** One line for a verdict. */
export const verdictText = (verdict: RequestVerdict): string => {
  if (verdict.kind === 'closed') return `closed: ${verdict.why}`
  if (verdict.kind === 'reply') {
    const { status, code, by, headers } = verdict
    const location = headers.find((_, i) => headers[i - 1] === 'location')
    return `${String(status)}${code === undefined ? '' : ` ${code}`} by ${by}${location === undefined ? '' : ` to ${location}`}`
  }
  const { backend, sent } = verdict
  return `forwarded to ${shortName(backend)}${sent ? `: ${sent.method} ${sent.target}` : ''}`
}

const parts: readonly (keyof RequestWay)[] = ['listener', 'route', 'policies', 'backends', 'verdict']

const without = (list: readonly string[] = [], other: readonly string[] = []): readonly string[] =>
  list.filter((one) => !other.includes(one))

/** A backend inside of a route, without the listener's key. */
const shortName = (name: string): string => /[^/]+\/backend\d+$/.exec(name)?.[0] ?? name
