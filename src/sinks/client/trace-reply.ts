import type { Probe } from '../model/probe.ts'
import type { Reply } from '../model/reply.ts'
import { watchBody } from '../pipeline/watch-body.ts'

/** Shows the watchers of an exchange the answer that its client gets, and its body to those who asked for bodies. */
export const showReply = (probe: Probe, reply: Reply): void => {
  probe.snapshot('final response')
  if (probe.wantsBodies && !reply.tunnel) reply.body = watchBody(reply.body, probe, 'response')
}
