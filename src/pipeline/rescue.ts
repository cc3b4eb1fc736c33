import { catchError, mergeMap, of } from 'rxjs'
import type { Exchange } from '../model/exchange.ts'
import type { Reply } from '../model/reply.ts'
import type { Operator } from './stage.ts'

/**
 * Runs `inner` for each exchange and turns its faults into replies that later stages can see. Once the head is on the
 * wire there is nothing to reply with: the fault goes on to the sink, which cuts the connection.
 *
 * `toReply` may rethrow what it does not understand; rescues nest, and an inner one knows more.
 */
export const rescue = (inner: Operator, toReply: (fault: unknown, x: Exchange) => Reply): Operator =>
  mergeMap((x) =>
    inner(of(x)).pipe(
      catchError((fault: unknown) => {
        if (x.committed) throw fault
        x.reply = toReply(fault, x)
        return of(x)
      }),
    ),
  )
