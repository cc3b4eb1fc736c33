import { mergeMap, type Observable, of, throwError } from 'rxjs'
import type { Exchange } from '../../../model/exchange.ts'
import type { Headers } from '../../../model/headers.ts'
import { deny } from '../../../model/reply.ts'
import type { BackendLabels } from '../../../model/snapshot.ts'
import { each } from '../../../pipeline/each.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import { type Id, isRequest, type Message } from '../../../protocols/json-rpc/message.ts'
import type { Parsed } from '../../../protocols/json-rpc/parse.ts'
import { unsupportedVersion } from '../../../protocols/mcp/errors.ts'
import { readMeta } from '../../../protocols/mcp/meta.ts'
import { isModern, isRevision } from '../../../protocols/mcp/revisions.ts'
import { answerWith } from './answer/answer.ts'
import { checkGet, checkPost, refuseText, unreadable } from './doors/door.ts'
import { takeDownHeard } from './federation/facts.ts'
import { readMessages } from './doors/heard-body.ts'
import { answered, type LegacyDoor, notAllowed } from './doors/legacy-door.ts'
import { McpRefusal } from './answer/mcp-refusal.ts'
import type { ModernDoor } from './doors/modern-door.ts'
import type { SseDoor } from './doors/sse-door.ts'
import type { Elsewhere } from './replicas/elsewhere.ts'
import { checkRebinding } from './doors/rebinding.ts'
import type { Target } from './servers/target.ts'

/** MCP servers behind one address. */
export interface McpOptions {
  readonly labels: BackendLabels
  readonly targets: readonly Target[]
  readonly legacy: LegacyDoor
  readonly modern: ModernDoor
  readonly sse: SseDoor
  /** Whether requests must name this machine. */
  readonly isGuarded: (x: Exchange) => boolean
  /** Answers with what another replica says, where that alone can. */
  readonly elsewhere?: Elsewhere | undefined
  /** Longest message of a client's. */
  readonly limitBytes: number
}

/**
 * Answers MCP clients of every revision with what one or several MCP servers of any revision say. The last stage of a
 * route, as `backend` is.
 *
 * A client's revision is told by its request: what carries the version in `_meta`, or in a header from 2026-07-28 on, has no
 * session; everything else begins with `initialize`.
 */
export const mcp = (options: McpOptions): Operator => {
  const { labels, targets, legacy, modern, sse, isGuarded } = options
  const answer = (x: Exchange): Observable<Exchange> => {
    x.backend = labels
    x.attempts++
    x.upstreamFirstStartedAt = x.upstreamStartedAt = performance.now()
    const rebinding = isGuarded(x) ? checkRebinding(x) : undefined
    if (rebinding) return answered(x, rebinding)
    if (targets.length === 0)
      return answered(
        x,
        deny(503, 'mcp_no_targets', { message: 'mcp: no backends configured', reason: 'MCP' }),
      )
    const { method, path, headers } = x.request
    const [only] = targets
    if (
      path.startsWith('/.well-known/oauth-') &&
      (method === 'GET' || method === 'OPTIONS') &&
      only?.pipeline
    )
      return targets.length === 1 ? only.pipeline(of(x)) : answered(x, notFound())
    if (path === '/sse') return options.elsewhere?.stream(x) ?? sse.serve(x)
    const version = headers.get('mcp-protocol-version')
    if (method === 'POST') return post(x, version)
    if (method !== 'GET' && method !== 'DELETE') return answered(x, notAllowed('GET, POST, DELETE'))
    if (version !== undefined && !isRevision(version)) return notSpoken(x, null, version)
    if (version !== undefined && isModern(version)) return modern.other(x)
    const wrong = method === 'GET' ? checkGet(headers) : undefined
    if (wrong) return answered(x, wrong)
    const elsewhere = options.elsewhere?.session(x)
    if (elsewhere) return elsewhere
    return method === 'GET' ? legacy.get(x) : legacy.delete(x)
  }

  const post = (x: Exchange, version: string | undefined): Observable<Exchange> => {
    const wrong = checkPost(x.request.headers)
    if (wrong) return answered(x, wrong)
    // Before it is read: what is for another replica goes there as it comes.
    const elsewhere = version !== undefined && isModern(version) ? undefined : options.elsewhere?.session(x)
    if (elsewhere) return elsewhere
    return readMessages(x, options.limitBytes).pipe(mergeMap((parsed) => received(x, version, parsed)))
  }

  const received = (x: Exchange, version: string | undefined, parsed: Parsed): Observable<Exchange> => {
    if ('error' in parsed) return answered(x, unreadable(parsed.error))
    const { messages, batch } = parsed
    takeDownHeard(x, messages)
    if (version !== undefined && !isRevision(version)) return notSpoken(x, idOf(messages), version)
    return speaksModern(x.request.headers, messages)
      ? (options.elsewhere?.call(x, messages) ?? modern.post(x, messages, batch))
      : legacy.post(x, messages, batch)
  }

  return each((x) => (x.reply ? undefined : () => answer(x)))
}

const speaksModern = (headers: Headers, [first]: readonly Message[]): boolean => {
  const version = headers.get('mcp-protocol-version')
  if (version !== undefined && isModern(version)) return true
  if (!first || !isRequest(first)) return false
  const said = readMeta(first.params).version
  // Whoever says it in the message and not in the header gets told so.
  if (said === undefined || version === undefined) return said !== undefined
  // The message counts, unless the client is in a session or about to begin one: who has both eras may say too much.
  return isModern(said) && !headers.has('mcp-session-id') && first.method !== 'initialize'
}

const notSpoken = (x: Exchange, id: Id | null, version: string): Observable<Exchange> =>
  answerWith(
    x,
    id,
    throwError(() => new McpRefusal('mcp_refused', unsupportedVersion(version))),
  )

const idOf = ([first]: readonly Message[]) => (first && isRequest(first) ? first.id : null)

const notFound = () => refuseText(404, 'mcp_not_found', 'there is no such page')
