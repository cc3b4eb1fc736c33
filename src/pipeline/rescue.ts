import { mergeMap, Observable, of } from 'rxjs'
import type { Exchange } from '../model/exchange.ts'
import type { Reply } from '../model/reply.ts'
import type { Operator } from './stage.ts'

/**
 * Runs `inner` for each exchange and turns its faults into replies that later stages can see.
 *
 * Once the exchange has been passed on, a fault goes on too: later stages hold the reply it spoils, or the head is on
 * the wire already and only the sink can act, by cutting the connection. So an exchange comes out once, whatever happens.
 *
 * `toReply` may rethrow what it does not understand; rescues nest, and an inner one knows more.
 */
export const rescue = (inner: Operator, toReply: (fault: unknown, x: Exchange) => Reply): Operator =>
  mergeMap(
    (x) =>
      new Observable<Exchange>((out) => {
        let passedOn = false
        return inner(of(x)).subscribe({
          next(came) {
            passedOn = true
            out.next(came)
          },
          error(fault: unknown) {
            if (passedOn || x.committed) {
              out.error(fault)
              return
            }
            try {
              x.reply = toReply(fault, x)
            } catch (unknownFault) {
              out.error(unknownFault)
              return
            }
            out.next(x)
            out.complete()
          },
          complete() {
            out.complete()
          },
        })
      }),
  )
