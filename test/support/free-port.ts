import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/**
 * A port that nobody has, at any address. It is none of those that the system deals out by itself, so that no other
 * test comes to have it by chance while it is free.
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
