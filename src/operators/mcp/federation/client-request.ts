import { filter, type MonoTypeOperatorFunction, type OperatorFunction, tap } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type {
  JsonObject,
  Notification,
  Outcome,
  JsonRpcRequest,
} from '../../../protocols/json-rpc/message.ts'
import type { Access } from '../sessions/server-access.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'
import type { Target } from '../servers/target.ts'

/** A client's request, in the client's names. */
export interface McpClientRequest {
  readonly x: Exchange
  readonly method: string
  readonly params: JsonObject | undefined
  readonly access: Access
  /** Called if the server closes its stream before the response, to be polled later. */
  readonly pausing?: ((retryMs: number | undefined) => void) | undefined
  /** Takes messages of a server before the outcome. */
  readonly onMessage: (target: string, message: Notification | JsonRpcRequest) => void
}

/** An item of a server, under the server's own name. */
export interface ResolvedItem {
  readonly target: Target
  readonly name: string
}

/** Emits only the outcome; messages before it go to the client. */
export const outcomeFor = (
  { onMessage }: McpClientRequest,
  target: string,
): OperatorFunction<FromServer, Outcome> => {
  const forward: MonoTypeOperatorFunction<FromServer> = tap((message) => {
    if (!isOutcome(message)) onMessage(target, message)
  })
  return (source) => source.pipe(forward, filter(isOutcome))
}
