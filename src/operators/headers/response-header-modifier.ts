import type { HeaderModifier } from './schema.ts'
import { onReply, type Operator } from '../../pipeline/stage.ts'
import { editHeaders } from './header-modifier.ts'
import { applied } from '../trace-policy.ts'

/**
 * Adds, sets and removes header fields of the reply, in this order, whatever its source: it applies to refusals of a
 * route as to responses of its upstream. Framing and connection fields are protected.
 *
 * Those of a backend apply before those of its route.
 */
export const modifyResponseHeaders = (modifier: HeaderModifier): Operator => {
  const edit = editHeaders(modifier)
  return onReply('modify-response-headers', (x) => {
    if (x.reply) edit(x.reply.headers)
    if (!x.probe) return
    x.probe.record(applied('response_header_modifier', 'changed response headers'))
    x.probe.snapshot('response header modifier')
  })
}
