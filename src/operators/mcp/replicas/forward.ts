import { catchError, finalize, map, type Observable, of, throwError } from 'rxjs'
import { Exchange } from '../../../../model/exchange.ts'
import { Fault } from '../../../../model/fault.ts'
import { Headers } from '../../../../model/headers.ts'
import type { Hop } from '../../../../model/hop.ts'
import type { Owner } from '../../../../model/owner.ts'
import { Request } from '../../../../model/request.ts'
import { HOP_FIELD, sealHop } from '../../../../protocols/mcp/hop-marker.ts'
import type { SealRing } from '../../../../protocols/seal/seal-ring.ts'
import { backend, type HttpUpstream } from '../../http.ts'
import { noteStep } from '../note-step.ts'

/** How requests get to other replicas. */
export interface PassOnOptions {
  /** Where the others reach this one. */
  readonly address: string
  readonly ring: SealRing
  readonly upstream: (address: string) => HttpUpstream
}

/**
 * Answers with what another replica says; undefined if that cannot be asked: nobody knows where it is, or this is where
 * it was, or the request has been passed on already.
 *
 * @param owner From a text of our own that is good for this caller: whatever it says is connected to.
 * @param away What is answered if the replica is not there; told why.
 */
export type PassOn = (
  x: Exchange,
  owner: Owner,
  away: (why: string) => Observable<Exchange>,
) => Observable<Exchange> | undefined

/**
 * Makes the way of requests to other replicas. A request goes there as it came, whatever policies here have made of it: the
 * other one has the same. What is answered comes back as it is.
 */
export const passOn =
  ({ address: own, ring, upstream }: PassOnOptions): PassOn =>
  (x, { replica, address }, away) => {
    const { hop } = x
    if (address === undefined || address === own || !hop || hop.isPassedOn) return undefined
    noteStep(x, { step: 'passed on', replica, address })
    const inner = new Exchange(requestAsCame(x, hop, ring), x.snapshot, { probe: () => x.probe }, x.labels)
    return of(inner).pipe(
      backend(upstream(address)),
      map(({ reply, endpoint }) => {
        x.endpoint = endpoint
        x.upstreamRepliedAt = inner.upstreamRepliedAt
        x.reply = reply
        return x
      }),
      catchError((fault: unknown) => {
        // Whoever reads of the failure wants to know which replica it was.
        x.endpoint = inner.endpoint
        return fault instanceof Fault && notThere.has(fault.code) && !x.reply
          ? away(fault.message)
          : throwError(() => fault)
      }),
      finalize(() => {
        inner.cancel()
      }),
    )
  }

/** Nothing of the request has been sent then. */
const notThere: ReadonlySet<string> = new Set(['upstream_connect', 'upstream_dns', 'no_endpoint'])

const requestAsCame = ({ request }: Exchange, { fields, body }: Hop, ring: SealRing): Request => {
  const { received, scheme, connection } = request
  const headers = new Headers(fields.slice())
  // Who stands in front of the other one is this one; it adds itself behind what is known of the client.
  for (const name of forwarded) {
    const told = request.headers.get(name)
    if (told !== undefined) headers.set(name, told)
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
  // Routes of the other one, and its guard against rebinding, go by what the client asked for.
  passed.authorityFixed = true
  return passed
}

const forwarded = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded']
