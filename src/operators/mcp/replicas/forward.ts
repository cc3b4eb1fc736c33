import { catchError, finalize, map, type Observable, of, throwError } from 'rxjs'
import { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { Headers } from '../../../model/exchange/headers.ts'
import type { Hop } from '../../../model/exchange/replica-hop.ts'
import type { Owner } from '../../../model/resources/replica.ts'
import { Request } from '../../../model/exchange/request.ts'
import { HOP_FIELD, sealHop } from '../../../protocols/mcp/replica-hop-header.ts'
import type { Keyring } from '../../../protocols/seal/aead-keyring.ts'
import { backend, type HttpUpstream } from '../../backend/http.ts'
import { traceStep } from '../trace-step.ts'

/** Options of forwarding to other replicas. */
export interface ForwardOptions {
  /** Address of this replica for the others. */
  readonly address: string
  readonly ring: Keyring
  readonly upstream: (address: string) => HttpUpstream
}

/**
 * Forwards a request to another replica; undefined if that is not possible: its address is unknown or is this one's, or
 * the request was forwarded already.
 *
 * @param owner From a sealed text that is valid for this caller: its address is connected to without further checks.
 * @param onUnreachable Makes the reply if the replica cannot be reached; called with the reason.
 */
export type ForwardToReplica = (
  x: Exchange,
  owner: Owner,
  onUnreachable: (why: string) => Observable<Exchange>,
) => Observable<Exchange> | undefined

/**
 * Makes the forwarding to other replicas. A request is forwarded as received, whatever policies here changed: the other
 * replica has the same policies. Its response is returned unchanged.
 */
export const forwardToReplica =
  ({ address: own, ring, upstream }: ForwardOptions): ForwardToReplica =>
  (x, { replica, address }, onUnreachable) => {
    const { hop } = x
    if (address === undefined || address === own || !hop || hop.isPassedOn) return undefined
    traceStep(x, { step: 'passed on', replica, address })
    const inner = new Exchange(originalRequest(x, hop, ring), x.snapshot, { probe: () => x.probe }, x.labels)
    return of(inner).pipe(
      backend(upstream(address)),
      map(({ reply }) => {
        x.upstream.endpoint = inner.upstream.endpoint
        x.upstream.respondedAt = inner.upstream.respondedAt
        x.reply = reply
        return x
      }),
      catchError((fault: unknown) => {
        // The log of the failure names the replica.
        x.upstream.endpoint = inner.upstream.endpoint
        return fault instanceof Fault && unreachableCodes.has(fault.code) && !x.reply
          ? onUnreachable(fault.message)
          : throwError(() => fault)
      }),
      finalize(() => {
        inner.cancel()
      }),
    )
  }

/** Faults before any byte of the request was sent. */
const unreachableCodes: ReadonlySet<string> = new Set(['upstream_connect', 'upstream_dns', 'no_endpoint'])

const originalRequest = ({ request }: Exchange, { fields, body }: Hop, ring: Keyring): Request => {
  const { received, scheme, connection } = request
  const headers = new Headers(fields.slice())
  // This replica is the proxy in front of the other one; it adds itself to the forwarding headers.
  for (const name of forwarded) {
    const value = request.headers.get(name)
    if (value !== undefined) headers.set(name, value)
  }
  headers.set(HOP_FIELD, sealHop({ scheme }, ring))
  const passed = new Request({
    method: received.method,
    path: received.path,
    query: received.query,
    scheme,
    authority: received.authority,
    httpVersion: '1.1',
    headers,
    body: body ?? request.body,
    connection,
  })
  // Routes of the other replica, and its protection against DNS rebinding, use the client's authority.
  passed.authorityFixed = true
  return passed
}

const forwarded = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded']
