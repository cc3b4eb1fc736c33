import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/**
 * A port that is free at any address. It is outside of the ephemeral range, so that no other test gets it by chance
 * while it is free.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const candidate = LOWEST + Math.floor(Math.random() * COUNT)
    if (given.has(candidate)) continue
    const server = createServer().listen(candidate)
    try {
      await once(server, 'listening')
    } catch {
      continue
    }
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    given.add(port)
    return port
  }
}

/** Ports that this process may not have opened yet. */
const given = new Set<number>()

const LOWEST = 12_000
const COUNT = 20_000
