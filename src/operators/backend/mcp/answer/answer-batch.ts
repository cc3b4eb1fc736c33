import { Observable } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { Fault } from '../../../../model/fault.ts'
import { encodeMessage, encodeResponse } from '../../../../protocols/json-rpc/encode.ts'
import type { Id } from '../../../../protocols/json-rpc/message.ts'
import { StreamedAnswer } from './answer.ts'
import { errorOf } from './fault-answer.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'

/** What is said about one request of several; a fault is how it ended. */
export interface BatchEvent {
  readonly id: Id
  readonly message: FromServer | Fault
}

/** Answers several requests that came together in one stream, each outcome as it comes. */
export const answerBatch = (x: Exchange, events: Observable<BatchEvent>): Observable<Exchange> =>
  new Observable((out) => {
    const answer = new StreamedAnswer(x, out, {})
    out.add(() => {
      answer.stop()
    })
    out.add(
      events.subscribe({
        next: ({ id, message }) => {
          if (message instanceof Fault) answer.say(encodeResponse(id, { error: errorOf(message) }))
          else if (isOutcome(message)) answer.say(encodeResponse(id, message))
          else answer.say(encodeMessage(message))
        },
        error: (bug: unknown) => {
          out.error(bug)
        },
        complete: () => {
          answer.end()
        },
      }),
    )
  })
