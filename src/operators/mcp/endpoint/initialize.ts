import { map, type Observable, retry, tap, throwError, timer } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { Fault } from '../../../../model/fault.ts'
import { jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import type { JsonObject, Outcome } from '../../../../protocols/json-rpc/message.ts'
import { invalidParams } from '../../../../protocols/mcp/errors.ts'
import { mergeInitialize } from '../../../../protocols/mcp/merge.ts'
import { isModern, legacyRevisionFor } from '../../../../protocols/mcp/revisions.ts'
import { connect } from '../servers/connect.ts'
import { fanOut, type Forbearance } from '../federation/fan-out.ts'
import type { Introduction } from '../servers/handshake.ts'
import { McpRefusal } from '../answer/mcp-refusal.ts'
import type { McpSession } from '../sessions/session.ts'
import type { McpSessions } from '../sessions/sessions.ts'
import type { Target } from '../servers/target.ts'

/**
 * Who the client of an `initialize` is.
 *
 * @throws McpRefusal if it does not say which revision it speaks.
 */
export const introductionOf = (params: JsonObject | undefined): Introduction => {
  const { protocolVersion, capabilities, clientInfo } = params ?? {}
  if (typeof protocolVersion !== 'string')
    throw new McpRefusal('mcp_refused', invalidParams('initialize says no protocolVersion'))
  return {
    protocolVersion: legacyRevisionFor(protocolVersion),
    capabilities: jsonObjectOr(capabilities),
    clientInfo: jsonObjectOr(clientInfo),
  }
}

/** How a session begins. */
export interface InitializeOptions extends Forbearance {
  readonly stateful: boolean
  /** Of the gateway. */
  readonly version: string
  readonly sessions: McpSessions
}

/** Begins a session with every server, and says what they have together. Failing leaves nothing open. */
export const initialize = (
  session: McpSession,
  targets: readonly Target[],
  x: Exchange,
  options: InitializeOptions,
): Observable<Outcome> => {
  const close = (): void => {
    session.close((name) => targets.find((target) => target.name === name)?.behalf(x))
  }
  return fanOut(
    targets,
    options,
    (target) =>
      connect(target, session.who, x).pipe(
        // Another one's idle session may be what is in the way.
        retry({
          count: 3,
          delay: (fault) =>
            isCrowded(fault) && options.sessions.makeRoom()
              ? timer(ROOM_MS)
              : throwError(() => fault as Error),
        }),
        tap((peer) => {
          session.adopt(peer)
        }),
      ),
    x,
  ).pipe(
    map((shares): Outcome => {
      const results = shares.map(({ target, value }) => ({
        target: target.name,
        result: value.about?.result ?? {},
      }))
      const [only] = results
      if (only && targets.length === 1) return { result: only.result }
      return { result: mergeInitialize(results, options) }
    }),
    tap({ error: close, unsubscribe: close }),
  )
}

const isCrowded = (fault: unknown): boolean =>
  fault instanceof Fault && fault.code === 'mcp_too_many_children'

/** A program that is told to end takes a moment. */
const ROOM_MS = 700

/** The revision that a session speaks: what its `initialize` was answered with. */
export const agreedRevision = (outcome: Outcome): string => {
  const revision = 'result' in outcome ? outcome.result.protocolVersion : undefined
  return typeof revision === 'string' && !isModern(revision) ? revision : legacyRevisionFor('')
}
