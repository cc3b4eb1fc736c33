import { Unsendable } from './unsendable.ts'

/** What base64 stands for, in either alphabet, padded or not. */
export const bytesOf = (value: unknown, place: string): Buffer => {
  // Node decodes as far as it can; half a file is worse than none.
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value))
    throw new Unsendable(`${place} must be base64`)
  return Buffer.from(value, 'base64')
}
