import type { Duplex } from 'node:stream'

/** What was recognised, and how many of the bytes belong to it and are taken off. */
export interface Recognised<T> {
  readonly value: T
  readonly taken: number
}

/**
 * Reads the first bytes of a connection until `recognise` can tell what they are. Those that it does not take are put
 * back, so that whoever is given the connection next finds them.
 *
 * @param recognise Given all bytes so far; undefined asks for more. It must decide within a bounded number of bytes.
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
    stream.off('readable', look).off('end', giveUp).off('close', giveUp)
    done(value)
  }
  const look = () => {
    const chunk = stream.read() as Buffer | null
    if (chunk === null) return
    seen = seen ? Buffer.concat([seen, chunk]) : chunk
    const recognised = recognise(seen)
    if (!recognised) return
    // `end` may have been emitted already: then there is nobody to read what would be put back.
    if (recognised.taken < seen.length && !stream.readableEnded)
      stream.unshift(seen.subarray(recognised.taken))
    finish(recognised.value)
  }
  const giveUp = () => finish(undefined)
  const timer = setTimeout(giveUp, timeoutMs)
  stream.on('readable', look).on('end', giveUp).on('close', giveUp)
}
