import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/**
 * A port that is free at any address. It is outside of the ephemeral range, so that no other test gets it by chance
 * while it is free.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const server = createServer().listen(LOWEST + Math.floor(Math.random() * COUNT))
    try {
      await once(server, 'listening')
    } catch {
      continue
    }
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return port
  }
}

const LOWEST = 12_000
const COUNT = 20_000
