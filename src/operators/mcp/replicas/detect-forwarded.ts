import { onRequest, type Operator } from '../../../pipeline/stage.ts'
import { HOP_FIELD, openHop } from '../../../protocols/mcp/replica-hop-header.ts'
import type { Keyring } from '../../../protocols/seal/aead-keyring.ts'

/**
 * Saves what is needed to forward a request to another replica, and detects a request that another replica forwarded.
 * The header that marks it is removed, also if a client wrote it.
 *
 * Must be above everything that changes requests, `forwarded` included, which describes the client's request to
 * upstreams. Costs a copy of the headers.
 */
export const detectForwarded = (ring: Keyring): Operator =>
  onRequest('notice-hop', (x) => {
    const { request } = x
    const { headers } = request
    const marker = headers.get(HOP_FIELD)
    const hop = marker === undefined ? undefined : openHop(marker, ring)
    if (marker !== undefined) headers.delete(HOP_FIELD)
    if (hop) request.scheme = hop.scheme
    x.hop = { fields: headers.raw.slice(), isPassedOn: hop !== undefined }
  })
