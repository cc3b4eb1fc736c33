import { Observable, timer } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { encodeMessage } from '../../../../protocols/json-rpc/encode.ts'
import type { Notification, Request } from '../../../../protocols/json-rpc/message.ts'
import type { OpenStreams } from '../../../../upstream/mcp/open-streams.ts'
import { StreamedAnswer } from '../answer/answer.ts'
import { refuseText } from './door.ts'

/**
 * Answers with a stream of what belongs to no request. It is refused if all servers say at once that they have none;
 * later it stays open, since servers may come that have.
 *
 * @param servers How many may say so; undefined if one of them never will, and nothing has to be waited for.
 * @param messages Is given what to call for a server that has no such stream.
 */
export const streamOf = (
  x: Exchange,
  servers: number | undefined,
  streams: OpenStreams,
  messages: (hasNone: () => void) => Observable<Notification | Request>,
): Observable<Exchange> =>
  new Observable((out) => {
    const answer = new StreamedAnswer(x, out, {})
    let silent = 0
    let isOpen = false
    const open = (): void => {
      isOpen = true
      answer.open()
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
      answer.stop()
    })
    out.add(
      streams.add(() => {
        answer.end()
      }),
    )
    if (servers === undefined) open()
    else out.add(timer(PATIENCE_MS).subscribe(open))
    out.add(
      messages(hasNone).subscribe({
        next: (message) => {
          open()
          answer.say(encodeMessage(message))
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

/** Servers that have no such stream say so soon. */
const PATIENCE_MS = 250
