import type { Probe } from '../../model/trace/probe.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { watchBody } from '../../pipeline/tap-body.ts'

/** Shows the watchers of an exchange the answer that its client gets, and its body to those who asked for bodies. */
export const traceReply = (probe: Probe, reply: Reply): void => {
  probe.snapshot('final response')
  if (probe.includesBodies && !reply.tunnel) reply.body = watchBody(reply.body, probe, 'response')
}
