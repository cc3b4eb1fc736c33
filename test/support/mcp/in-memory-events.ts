import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** Stores the events of a session's streams, so that they can be resumed. */
export class InMemoryEvents implements EventStore {
  readonly #events: { readonly stream: string; readonly message: JSONRPCMessage }[] = []

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    return Promise.resolve(String(this.#events.push({ stream, message }) - 1))
  }

  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#events[Number(id)]?.stream)
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = this.#events[Number(last)]?.stream ?? ''
    for (const [index, event] of this.#events.entries())
      // The priming event of a stream has no method and no result, and is not replayed.
      if (index > Number(last) && event.stream === stream && 'jsonrpc' in event.message)
        await send(String(index), event.message)
    return stream
  }
}
