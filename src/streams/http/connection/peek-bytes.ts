import type { Duplex } from 'node:stream'

/** A recognised prefix, and how many bytes of it are consumed. */
export interface Recognised<T> {
  readonly value: T
  readonly taken: number
}

/**
 * Reads the first bytes of a connection until `recognise` identifies them. Bytes that it does not consume are put back
 * for the next reader.
 *
 * @param recognise Gets all bytes so far; undefined requests more. It must decide within a bounded number of bytes.
 * @param done Called once, with undefined if the connection ended or `timeoutMs` passed before it was recognised.
 */
export const readFirstBytes = <T>(
  stream: Duplex,
  recognise: (bytes: Buffer) => Recognised<T> | undefined,
  timeoutMs: number,
  done: (value: T | undefined) => void,
): void => {
  let seen: Buffer | undefined
  const finish = (value: T | undefined) => {
    clearTimeout(timer)
    stream.off('readable', look).off('end', cancel).off('close', cancel)
    done(value)
  }
  const look = () => {
    const chunk = stream.read() as Buffer | null
    if (chunk === null) return
    seen = seen ? Buffer.concat([seen, chunk]) : chunk
    const recognised = recognise(seen)
    if (!recognised) return
    // `end` may have been emitted already: then no reader is left for bytes put back.
    if (recognised.taken < seen.length && !stream.readableEnded)
      stream.unshift(seen.subarray(recognised.taken))
    finish(recognised.value)
  }
  const cancel = () => finish(undefined)
  const timer = setTimeout(cancel, timeoutMs)
  stream.on('readable', look).on('end', cancel).on('close', cancel)
}
