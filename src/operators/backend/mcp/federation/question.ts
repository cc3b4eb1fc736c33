import { filter, type MonoTypeOperatorFunction, type OperatorFunction, tap } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import type { JsonObject, Notification, Outcome, Request } from '../../../../protocols/json-rpc/message.ts'
import type { Access } from '../sessions/access.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'

/** A client's request, in the client's terms. */
export interface Question {
  readonly x: Exchange
  readonly method: string
  readonly params: JsonObject | undefined
  readonly access: Access
  /** Told if the server wants to be asked later how it went, rather than keep somebody waiting. */
  readonly pausing?: ((retryMs: number | undefined) => void) | undefined
  /** Takes what a server says about it before the outcome. */
  readonly said: (target: string, message: Notification | Request) => void
}

/** Only the outcome; what comes before it goes to the client. */
export const outcomeFor = ({ said }: Question, target: string): OperatorFunction<FromServer, Outcome> => {
  const hear: MonoTypeOperatorFunction<FromServer> = tap((message) => {
    if (!isOutcome(message)) said(target, message)
  })
  return (source) => source.pipe(hear, filter(isOutcome))
}
