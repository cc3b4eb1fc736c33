import type { Wire } from './wire.ts'

/** Told how long a server took to answer a call, or to fail. */
export type CallTimed = (seconds: number) => void

/**
 * The same wire, with a watch. Calls that are given up are not counted, and neither are those that are there to last: what
 * they take says nothing of the server.
 */
export const timedWire = (wire: Wire, timed: CallTimed): Wire => ({
  call: (call, behalf, sink) => {
    if (call.method === 'subscriptions/listen') return wire.call(call, behalf, sink)
    const began = performance.now()
    const ended = (): void => {
      timed((performance.now() - began) / 1000)
    }
    return wire.call(call, behalf, {
      said: (message) => {
        sink.said(message)
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
  notify: (notification, behalf, taken) => {
    wire.notify(notification, behalf, taken)
  },
  answer: (id, outcome, behalf, taken) => {
    wire.answer(id, outcome, behalf, taken)
  },
  listen: (behalf, sink) => wire.listen(behalf, sink),
  agreed: (revision) => {
    wire.agreed(revision)
  },
  get sessionId() {
    return wire.sessionId
  },
  get place() {
    return wire.place
  },
  get closed() {
    return wire.closed
  },
  close: (behalf) => {
    wire.close(behalf)
  },
})
