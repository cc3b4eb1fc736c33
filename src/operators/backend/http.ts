import { Observable } from 'rxjs'
import type { Exchange } from '../../model/exchange.ts'
import type { Fault } from '../../model/fault.ts'
import { emptyBody, type Body } from '../../model/body.ts'
import { Headers } from '../../model/headers.ts'
import { Reply } from '../../model/reply.ts'
import { fieldSpelling } from '../../protocols/http/spelling.ts'
import type { Operator } from '../../pipeline/stage.ts'
import type { RawFields, UpstreamEvents } from '../../upstream/call.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'

export type { HttpUpstream }

/**
 * Answers with what an upstream says. The last stage of a route.
 *
 * The reply's head travels inside the HTTP client's own callback: stages and sink run on that stack, and the bytes that
 * follow go from socket to socket without passing through an observable.
 *
 * @throws Fault `upstream_*`, `no_endpoint` and others of the upstream, through the error channel.
 */
export const backend =
  (upstream: HttpUpstream): Operator =>
  (source) =>
    new Observable((out) => {
      let calls = 0
      let drained = false
      const end = () => {
        calls--
        if (drained && calls === 0) out.complete()
      }
      return source.subscribe({
        next(x) {
          if (x.reply) {
            out.next(x)
            return
          }
          calls++
          x.backend = upstream.labels
          x.attempts++
          x.upstreamStartedAt = performance.now()
          const began = x.probe?.now()
          const events: UpstreamEvents = {
            info: (status, headers) => x.inform?.(status, headers),
            head(status, headers, body, raw) {
              answered(x, status, headers, body, raw)
              if (began !== undefined) note(x, began, status, undefined)
              out.next(x)
            },
            tunnel(status, headers, stream) {
              answered(x, status, headers, emptyBody, undefined).tunnel = stream
              if (began !== undefined) note(x, began, status, undefined)
              out.next(x)
            },
            end,
            fail(fault) {
              if (began !== undefined && !x.reply) note(x, began, undefined, fault)
              out.error(fault)
            },
          }
          try {
            const call = upstream.call(x, events)
            out.add(() => call.abort())
          } catch (bug) {
            out.error(bug)
          }
        },
        error(fault) {
          out.error(fault)
        },
        complete() {
          drained = true
          if (calls === 0) out.complete()
        },
      })
    })

const answered = (
  x: Exchange,
  status: number,
  headers: string[],
  body: Body,
  raw: RawFields | undefined,
): Reply => {
  x.upstreamRepliedAt = performance.now()
  // Who wants a client's capitals kept wants the upstream's kept as well.
  const spelling = raw && x.request.headers.spelling ? fieldSpelling(raw) : undefined
  return (x.reply = new Reply(status, new Headers(headers, spelling), body, 'Upstream'))
}

const note = (x: Exchange, began: number, status: number | undefined, fault: Fault | undefined): void => {
  const { probe, reply } = x
  probe?.note({ type: 'backendCallResult', status: status ?? null, error: fault?.message ?? null }, began)
  if (reply) {
    probe?.snapshot('raw response')
    probe?.snapshot('backend response ready')
  }
  probe?.record('backend', began, reply)
}
