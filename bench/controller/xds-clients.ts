import { openRawClient } from '../../test/support/xds/raw-xds-client.ts'

/** A client of xDS that accepts everything and does nothing with it. */
export interface IdleClient extends Disposable {
  /** `Date.now()` of the end of the first complete set. */
  readonly synced: Promise<number>
}

/** Connects until there is a control plane, and receives what a Gateway gets. */
export const openIdleClient = (port: number, gateway: string): IdleClient => {
  let hasEnded = false
  let close: () => void = () => undefined
  const synced = Promise.withResolvers<number>()
  const follow = async () => {
    while (!hasEnded) {
      using client = openRawClient(port, { role: `default~${gateway}` })
      close = () => {
        client[Symbol.dispose]()
      }
      client.send()
      for (;;) {
        const response = await Promise.race([client.next(), client.ended])
        if (typeof response === 'string') break
        client.accept(response)
        if (!response.more) synced.resolve(Date.now())
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
  void follow()
  return {
    synced: synced.promise,
    [Symbol.dispose]: () => {
      hasEnded = true
      close()
    },
  }
}

const RETRY_MS = 100
