import { map, type Observable, retry, tap, throwError, timer } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import type { JsonObject, Outcome } from '../../../protocols/json-rpc/message.ts'
import { invalidParams, unsupportedVersion } from '../../../protocols/mcp/errors.ts'
import { mergeInitialize } from '../../../protocols/mcp/merge.ts'
import { agreedOn, legacyRevisionFor, offeredFor, type Revision } from '../../../protocols/mcp/revisions.ts'
import { connect } from '../servers/connect.ts'
import { isAtCapacity, CAPACITY_RETRY_MS } from '../servers/capacity.ts'
import { fanOut, type FailurePolicy } from '../federation/fan-out.ts'
import type { Introduction } from '../servers/handshake.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'
import type { McpSession } from '../sessions/session.ts'
import type { Target } from '../servers/target.ts'

/**
 * The parameters of a client's `initialize`.
 *
 * @param offered Revisions offered to clients.
 * @throws McpRefusal if the revision is missing, or none with sessions is offered.
 */
export const introductionOf = (
  params: JsonObject | undefined,
  offered: readonly Revision[],
): Introduction => {
  const { protocolVersion, capabilities, clientInfo } = params ?? {}
  if (typeof protocolVersion !== 'string')
    throw new McpRefusal('mcp_refused', invalidParams('initialize says no protocolVersion'))
  const revision = offeredFor(protocolVersion, offered)
  if (!revision) throw new McpRefusal('mcp_refused', unsupportedVersion(protocolVersion, offered))
  return {
    protocolVersion: revision,
    capabilities: jsonObjectOr(capabilities),
    clientInfo: jsonObjectOr(clientInfo),
  }
}

/** How a session begins. */
export interface InitializeOptions extends FailurePolicy {
  readonly stateful: boolean
  /** Revisions offered to clients, oldest first. */
  readonly offered: readonly Revision[]
  /** Of the gateway. */
  readonly version: string
  /** Ends an idle program; returns whether there was one. */
  readonly makeRoom: () => boolean
}

/**
 * Begins a session with every server and merges their results; the session speaks the revision in the merged result. On
 * failure nothing stays open.
 */
export const initialize = (
  session: McpSession,
  targets: readonly Target[],
  x: Exchange,
  options: InitializeOptions,
): Observable<Outcome> => {
  const close = (): void => {
    session.close((name) => targets.find((target) => target.name === name)?.requestContext(x))
  }
  return fanOut(
    targets,
    options,
    (target) =>
      connect(target, session.who, x).pipe(
        // An idle session of another client may take the capacity.
        retry({
          count: 3,
          delay: (fault) =>
            isAtCapacity(fault) && options.makeRoom()
              ? timer(CAPACITY_RETRY_MS)
              : throwError(() => fault as Error),
        }),
        tap((server) => {
          session.adopt(server)
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
      const agreed = agreedOn(
        legacyRevisionFor(session.who.protocolVersion),
        results.map(({ result }) => result.protocolVersion),
      )
      // Servers may choose an older revision than those offered.
      const protocolVersion = offeredFor(agreed, options.offered) ?? agreed
      session.revision = protocolVersion
      if (only && targets.length === 1) return { result: { ...only.result, protocolVersion } }
      return { result: mergeInitialize(results, protocolVersion, options) }
    }),
    tap({ error: close, unsubscribe: close }),
  )
}
