import { once } from 'node:events'
import { Readable } from 'node:stream'
import { type Body, bodyAlreadyUsed, type BodySink } from '../../src/model/exchange/body.ts'

/** The body of a streaming request, as a listener would create it. */
export const streamBody = (from: Readable | readonly string[], lengthBytes?: number): Body => {
  const stream = from instanceof Readable ? from : Readable.from(from.map((text) => Buffer.from(text)))
  let used = false
  const take = () => {
    if (used) throw bodyAlreadyUsed()
    used = true
  }
  return {
    lengthBytes,
    source: () => {
      take()
      return stream
    },
    pipe: (to: BodySink) => {
      take()
      stream.on('data', (chunk: Buffer) => {
        if (to.write(chunk)) return
        stream.pause()
        to.onDrain(() => stream.resume())
      })
      stream.on('end', () => to.end())
      stream.on('error', (error) => to.fail(error))
    },
    read: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    },
    drop: () => undefined,
  }
}

/** Resolves when a condition is true, polled every few milliseconds; rejects after a minute. */
export const until = async (holds: () => boolean, what = 'it'): Promise<void> => {
  const begun = performance.now()
  while (!holds()) {
    if (performance.now() - begun > 60_000) throw new Error(`${what} did not come about`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The next event. */
export const next = async (from: NodeJS.EventEmitter, event: string): Promise<unknown> => {
  const [value] = (await once(from, event)) as unknown[]
  return value
}
