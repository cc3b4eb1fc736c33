import { expectOneOf, type Traffic, withTimeout } from './traffic.ts'

/**
 * Statuses of the admin servers: 408 to a request whose head comes more than three seconds after its connection, as
 * that of this process may on a busy machine.
 */
const statuses = [200, 408]

/** Watchers of the trace that leave: of one request, and of all for a second. */
const watchers: Traffic = {
  name: 'trace watchers',
  clients: 1,
  pauseMs: 500,
  call: ({ adminUrl }, count) =>
    withTimeout('trace watchers', async (signal) => {
      const leaving = new AbortController()
      const query = count % 2 === 0 ? '?follow=true' : ''
      const either = AbortSignal.any([signal, leaving.signal])
      const response = await fetch(`${adminUrl}/debug/trace${query}`, { signal: either })
      expectOneOf('the status', response.status, ...statuses)
      const timer = setTimeout(() => leaving.abort(), 1_000)
      await response.text().catch(() => '')
      clearTimeout(timer)
      signal.throwIfAborted()
    }),
}

/** Readers of the admin and stats servers. */
const readers: Traffic = {
  name: 'admin and metrics',
  clients: 1,
  pauseMs: 1_000,
  call: ({ adminUrl, statsUrl }) =>
    withTimeout('admin and metrics', async (signal) => {
      for (const url of [`${statsUrl}/metrics`, `${adminUrl}/config_dump`, `${adminUrl}/dependencies`]) {
        const response = await fetch(url, { signal })
        await response.text()
        expectOneOf(`the status of ${url}`, response.status, ...statuses)
      }
    }),
}

/** What operators of the gateway do. */
export const operatorTraffic: readonly Traffic[] = [watchers, readers]
