import type { RecordedOutcome, RecordedRequest } from '../recorded/recorded-request.ts'

/** A difference between what a record says and what the new configuration did. */
export interface ReplayChange {
  readonly part: 'status' | 'route' | 'backend' | 'method' | 'target' | 'header' | 'body'
  /** The header. */
  readonly name?: string
  /** Undefined if there was none. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** One request, replayed. */
export interface ReplayedRequest {
  readonly method: string
  readonly url: string
  readonly outcome: RecordedOutcome
  readonly changes: readonly ReplayChange[]
  /** Why it was not sent, or got no response. */
  readonly failure?: string
  /** Credentials that the record does not have, and that nothing replaced. */
  readonly missing: readonly string[]
  /** The record has only a part of the body, or none of it. */
  readonly isCut: boolean
}

/**
 * What differs. Parts that the record does not have are not compared, and neither are fields that a record redacts or
 * that differ by nature.
 */
export const replayChanges = (recorded: RecordedRequest, after: RecordedOutcome): readonly ReplayChange[] => {
  const { outcome: before } = recorded
  const changes: ReplayChange[] = []
  const compare = (
    part: ReplayChange['part'],
    old: string | number | undefined,
    now: string | number | undefined,
  ): void => {
    if (old !== undefined && String(old) !== String(now))
      changes.push({ part, before: String(old), after: now === undefined ? undefined : String(now) })
  }
  compare('status', before.status, after.status)
  compare('route', before.route, after.route)
  compare(
    'backend',
    before.backend && shortBackend(before.backend),
    after.backend && shortBackend(after.backend),
  )
  if (!before.sent || !after.sent) return changes
  compare('method', before.sent.method, after.sent.method)
  compare('target', before.sent.target, after.sent.target)
  changes.push(...headerChanges(before.sent.headers, after.sent.headers, recorded.redacted))
  if (!recorded.isCut && before.sent.body) compare('body', textOf(before.sent.body), textOf(after.sent.body))
  return changes
}

type Fields = readonly (readonly [name: string, value: string])[]

const headerChanges = (
  before: Fields,
  after: Fields,
  redacted: readonly string[],
): readonly ReplayChange[] => {
  const names = new Set([...before, ...after].map(([name]) => name))
  return [...names].flatMap((name): ReplayChange[] => {
    if (byNature.has(name) || redacted.includes(name)) return []
    const [old, now] = [before, after].map((fields) => valueOf(fields, name))
    return old === now ? [] : [{ part: 'header', name, before: old, after: now }]
  })
}

const valueOf = (fields: Fields, wanted: string): string | undefined => {
  const values = fields.filter(([name]) => name === wanted).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/** They have new values in every request. */
const byNature = new Set([
  'content-length',
  'date',
  'traceparent',
  'tracestate',
  'x-amz-date',
  'x-request-id',
])

/** A backend inside of a route has a key with its listener, which may have another name. */
const shortBackend = (name: string): string => /[^/]+\/backend\d+$/.exec(name)?.[0] ?? name

const textOf = (body: Buffer | undefined): string => body?.toString('utf8') ?? ''
