import { Observable, timer } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { encodeMessage } from '../../../protocols/json-rpc/encode.ts'
import type { Notification, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import type { OpenStreams } from '../../../upstream/mcp/open-streams.ts'
import { StreamedResponse } from '../response/respond.ts'
import { refuseText } from './check-request.ts'

/**
 * Replies with a stream of messages that belong to no request. It is refused if all servers report at once that they
 * have none; later it stays open, since servers with such a stream may come.
 *
 * @param servers How many may report so; undefined if one of them never will, so that the stream opens at once.
 * @param messages Gets a function to call for a server without such a stream.
 */
export const notificationStream = (
  x: Exchange,
  servers: number | undefined,
  streams: OpenStreams,
  messages: (hasNone: () => void) => Observable<Notification | JsonRpcRequest>,
): Observable<Exchange> =>
  new Observable((out) => {
    const response = new StreamedResponse(x, out, {})
    let silent = 0
    let isOpen = false
    const open = (): void => {
      isOpen = true
      response.open()
    }
    const hasNone = (): void => {
      if (servers === undefined || ++silent < servers || isOpen || out.closed) return
      x.reply = refuseText(405, 'mcp_method', 'method not allowed; must be GET, POST, or DELETE', {
        allow: 'POST, DELETE',
      })
      out.next(x)
      out.complete()
    }
    out.add(() => {
      response.stop()
    })
    out.add(
      streams.add(() => {
        response.end()
      }),
    )
    if (servers === undefined) open()
    else out.add(timer(OPEN_AFTER_MS).subscribe(open))
    out.add(
      messages(hasNone).subscribe({
        next: (message) => {
          open()
          response.send(encodeMessage(message))
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

/** Servers without such a stream report that soon. */
const OPEN_AFTER_MS = 250
