import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { HOP_FIELD, openHop } from '../../protocols/mcp/hop-marker.ts'
import type { SealRing } from '../../protocols/seal/seal-ring.ts'

/**
 * Keeps what it takes to pass a request on to another replica, and notices one that another replica has passed on. What
 * that says of it is taken out: what anybody else wrote into its field as well.
 *
 * Belongs before all that changes requests, `forwarded` included, which tells upstreams how the client had asked. Costs a
 * copy of the fields.
 */
export const noticeHop = (ring: SealRing): Operator =>
  onRequest('notice-hop', (x) => {
    const { request } = x
    const { headers } = request
    const marker = headers.get(HOP_FIELD)
    const hop = marker === undefined ? undefined : openHop(marker, ring)
    if (marker !== undefined) headers.delete(HOP_FIELD)
    if (hop) request.scheme = hop.scheme
    x.hop = { fields: headers.raw.slice(), isPassedOn: hop !== undefined }
  })
