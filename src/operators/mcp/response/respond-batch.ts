import { Observable } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { encodeMessage, encodeResponse } from '../../../protocols/json-rpc/encode.ts'
import type { Id } from '../../../protocols/json-rpc/message.ts'
import { StreamedResponse } from './respond.ts'
import { errorOf } from './json-rpc-error.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'

/** A message about one request of a batch; a fault is its end. */
export interface BatchEvent {
  readonly id: Id
  readonly message: FromServer | Fault
}

/** Replies to a batch with one stream; each outcome is sent when it is known. */
export const respondBatch = (x: Exchange, events: Observable<BatchEvent>): Observable<Exchange> =>
  new Observable((out) => {
    const response = new StreamedResponse(x, out, {})
    out.add(() => {
      response.stop()
    })
    out.add(
      events.subscribe({
        next: ({ id, message }) => {
          if (message instanceof Fault) response.send(encodeResponse(id, { error: errorOf(message) }))
          else if (isOutcome(message)) response.send(encodeResponse(id, message))
          else response.send(encodeMessage(message))
        },
        error: (bug: unknown) => {
          out.error(bug)
        },
        complete: () => {
          response.end()
        },
      }),
    )
  })
