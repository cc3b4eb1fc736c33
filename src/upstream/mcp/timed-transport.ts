import type { Transport } from './transport.ts'

/** Called with the duration of a call, in seconds. */
export type OnCallTimed = (seconds: number) => void

/**
 * The transport with measured calls. Cancelled calls and subscriptions are not counted: their duration depends on the
 * client.
 */
export const timedTransport = (transport: Transport, timed: OnCallTimed): Transport => ({
  call: (call, context, sink) => {
    if (call.method === 'subscriptions/listen') return transport.call(call, context, sink)
    const began = performance.now()
    const ended = (): void => {
      timed((performance.now() - began) / 1000)
    }
    return transport.call(call, context, {
      onMessage: (message) => {
        sink.onMessage(message)
      },
      reply: (outcome) => {
        ended()
        sink.reply(outcome)
      },
      fail: (fault) => {
        ended()
        sink.fail(fault)
      },
    })
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
  get closed() {
    return transport.closed
  },
  close: (context, onResponse) => {
    transport.close(context, onResponse)
  },
})
