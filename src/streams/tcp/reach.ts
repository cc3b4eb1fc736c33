import { isIP, type Socket } from 'node:net'
import type { Keepalives } from '../../model/policies.ts'
import type { TcpTarget } from '../../model/snapshot.ts'
import { dial, type Place } from '../../upstream/dial.ts'
import { systemLookup } from '../../upstream/name.ts'
import { TlsClient } from '../../upstream/tls.ts'

/** Told once: an open connection, or why there is none. */
export type Reached = (error: Error | null, socket: Socket | null) => void

/** Longest wait for a connection, each address of a name included, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000

/**
 * Opens a connection to the target of a raw route. A name is looked up anew each time, and its addresses are tried in
 * turn: raw connections live long, so that a look-up each is a small price for never using an old answer.
 *
 * @returns Gives up; `reached` is then not called any more.
 */
export const reach = ({ target, tls }: TcpTarget, reached: Reached): (() => void) => {
  let giveUp: () => void = () => undefined
  let over = false
  const client = tls && new TlsClient(tls, 'unix' in target ? '' : target.host)
  const options = { connectTimeoutMs: CONNECT_TIMEOUT_MS, keepalives, tls: client }
  const attempt = (places: readonly Place[], before: Error) => {
    const [place, ...others] = places
    if (over) return
    if (!place) {
      reached(before, null)
      return
    }
    giveUp = dial(place, options, tls?.alpn ?? [], (error, socket) => {
      if (error) attempt(others, error)
      else reached(null, socket)
    })
  }
  if ('unix' in target) attempt([target], nowhere)
  else if (isIP(target.host)) attempt([{ ip: target.host, port: target.port }], nowhere)
  else
    lookup(target.host, (error, addresses) =>
      attempt(
        addresses.map((ip) => ({ ip, port: target.port })),
        error ?? nowhere,
      ),
    )
  return () => {
    over = true
    giveUp()
  }
}

const lookup = systemLookup('Auto', true)
const nowhere = new Error('the name has no address')
const keepalives: Keepalives = { enabled: true, timeMs: 180_000, intervalMs: 180_000, retries: 9 }
