import { type Observable, tap } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { inputRequestsOf, isInputRequired } from '../../../../protocols/mcp/input-required.ts'
import type { Call } from '../../../../upstream/mcp/wire.ts'
import { noteStep } from '../note-step.ts'
import { type FromServer, isOutcome, type Peer, WirePeer } from '../servers/peer.ts'
import type { Target } from '../servers/target.ts'

/** Calls a server, and puts that and its outcome into the trace, if there is one. */
export const watchedCall = (x: Exchange, target: Target, peer: Peer, call: Call): Observable<FromServer> => {
  const called = peer.call(call, target.behalf(x))
  return x.probe ? told(called, x, target, peer, call) : called
}

const told = (
  called: Observable<FromServer>,
  x: Exchange,
  { name: target, memory }: Target,
  peer: Peer,
  { method }: Call,
): Observable<FromServer> => {
  const began = x.probe?.now()
  const bridged = !(peer instanceof WirePeer)
  // The other side of a bridge may still have to be reached.
  const revision = bridged ? (memory.revision ?? null) : peer.revision
  noteStep(x, { step: 'call', target, method, revision, bridged })
  return called.pipe(
    tap({
      next: (message) => {
        if (!isOutcome(message)) return
        const error = 'error' in message ? message.error.code : null
        noteStep(x, { step: 'outcome', target, method, error }, began)
        if ('error' in message || !isInputRequired(message.result)) return
        const asks = [...(inputRequestsOf(message.result)?.values() ?? [])].map((input) => input.method)
        noteStep(x, { step: 'input', target, asks })
      },
      error: (fault: unknown) => {
        noteStep(x, { step: 'outcome', target, method, error: String(fault) }, began)
      },
    }),
  )
}
