import { beginWork } from '../../model/introspection/active-work.ts'
import { redactUrl } from '../../model/trace/redact.ts'
import type { CallCounts } from '../load-balancing/call-counts.ts'
import type { CallSink, McpCall, RequestContext, Transport } from './transport.ts'

/** Called with the duration of a call, in seconds. */
export type OnCallTimed = (seconds: number) => void

/** What a timed transport reports to. */
export interface TimedTransportOptions {
  /** Name of the server. */
  readonly target: string
  /** Counts of the server. */
  readonly counts: CallCounts
  readonly timed: OnCallTimed
}

/**
 * The transport with measured calls, which are listed while they are under way. Subscriptions are not counted, and
 * cancelled calls only as begun: their duration depends on the client.
 */
export const timedTransport = (
  transport: Transport,
  { target, counts, timed }: TimedTransportOptions,
): Transport => ({
  call: (call, context, sink) => {
    const began = performance.now()
    const end = listCall(target, transport, call, context)
    if (call.method === 'subscriptions/listen') {
      const unsubscribe = transport.call(call, context, listedSink(sink, end))
      return () => {
        end()
        unsubscribe()
      }
    }
    counts.began()
    const cancel = transport.call(call, context, {
      onMessage: (message) => {
        sink.onMessage(message)
      },
      reply: (outcome) => {
        end()
        const tookMs = performance.now() - began
        counts.succeeded(tookMs)
        timed(tookMs / 1000)
        sink.reply(outcome)
      },
      fail: (fault) => {
        end()
        counts.failed()
        timed((performance.now() - began) / 1000)
        sink.fail(fault)
      },
    })
    return () => {
      end()
      cancel()
    }
  },
  notify: (notification, context, onSent) => {
    transport.notify(notification, context, onSent)
  },
  respond: (id, outcome, context, onSent) => {
    transport.respond(id, outcome, context, onSent)
  },
  listen: (context, sink) => transport.listen(context, sink),
  agreed: (revision) => {
    transport.agreed(revision)
  },
  get sessionId() {
    return transport.sessionId
  },
  get endpointAddress() {
    return transport.endpointAddress
  },
  get pid() {
    return transport.pid
  },
  get closed() {
    return transport.closed
  },
  get isIdle() {
    return transport.isIdle
  },
  close: (context, onResponse) => {
    transport.close(context, onResponse)
  },
})

/** The same sink, and a call that is listed no more once it has ended. */
const listedSink = (sink: CallSink, end: () => void): CallSink => ({
  onMessage: (message) => {
    sink.onMessage(message)
  },
  reply: (outcome) => {
    end()
    sink.reply(outcome)
  },
  fail: (fault) => {
    end()
    sink.fail(fault)
  },
})

/** Lists a call until it ends. Of its parameters only the name is retained. */
const listCall = (
  target: string,
  transport: Transport,
  { method, params }: McpCall,
  { requestId }: RequestContext,
): (() => void) => {
  const given = params?.name ?? params?.uri
  const item = typeof given === 'string' ? redactUrl(given) : undefined
  return beginWork('mcp call', method, { requestId, detail: () => ({ target, item, pid: transport.pid }) })
}
