import type { Pool } from 'undici'
import type { PooledClient } from './pooled-client.ts'

/**
 * Removes clients from a pool when their connections have closed, all but a few. undici's pool keeps every client that
 * it ever had, with its parser, for as long as it lives: the clients of a peak would stay.
 */
export const retireClients = (pool: Pool): void => {
  const disconnected = new Set<PooledClient>()
  pool.on('connect', (_origin, targets) => {
    disconnected.delete(targets.at(-1) as PooledClient)
  })
  pool.on('disconnect', (origin, targets, error) => {
    const client = targets.at(-1) as PooledClient
    // With queued requests it reconnects.
    if (client.closed || client.destroyed || client.stats.size > 0) return
    disconnected.add(client)
    if (disconnected.size <= KEPT) return
    const [oldest] = disconnected as Iterable<PooledClient>
    disconnected.delete(oldest as PooledClient)
    if (oldest?.stats.size === 0) pool.emit('connectionError', origin, [pool, oldest], error)
  })
}

/** Without any, an upstream that closes every connection would cost a new client for each request. */
const KEPT = 8
