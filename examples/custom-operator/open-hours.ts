import { deny, onRequest, type Operator } from 'agentgateway'

/** Replies 503 `closed` outside of opening hours. `hour` returns the hour, so that tests can set it. */
export const openHours = (from: number, to: number, hour = () => new Date().getHours()): Operator =>
  onRequest('open-hours', () => {
    const now = hour()
    if (now >= from && now < to) return undefined
    return deny(503, 'closed', { message: `open from ${from} to ${to} o'clock` })
  })
