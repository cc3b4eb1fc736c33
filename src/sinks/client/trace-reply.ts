import type { Probe } from '../../model/trace/probe.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { watchBody } from '../../pipeline/tap-body.ts'

/** Traces the reply that the client gets, with its body if the probe wants bodies. */
export const traceReply = (probe: Probe, reply: Reply): void => {
  probe.snapshot('final response')
  if (probe.includesBodies && !reply.tunnel) reply.body = watchBody(reply.body, probe, 'response')
}
