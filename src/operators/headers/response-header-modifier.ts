import type { HeaderModifier } from './schema.ts'
import { onReply, type Operator } from '../../pipeline/stage.ts'
import { editHeaders } from './header-modifier.ts'
import { applied } from '../trace-policy.ts'

/**
 * Adds, sets and removes header fields of the reply, in this order, whoever gave it: the refusals of a route carry them
 * like the answers of its upstream. Fields that frame the body or speak of the connection stay as they are.
 *
 * Those of a backend come before those of its route, and both count.
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
