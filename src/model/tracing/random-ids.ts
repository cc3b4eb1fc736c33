import { randomFillSync } from 'node:crypto'

/** Random bytes are drawn in blocks: a call for each id would take ten times as long. */
const block = Buffer.alloc(4_096)
let used = block.length

/** Random hexadecimal digits that are not all zero, which W3C Trace Context reserves. */
export const randomHex = (bytes: 8 | 16): string => {
  if (used + bytes > block.length) {
    randomFillSync(block)
    used = 0
  }
  const hex = block.toString('hex', used, used + bytes)
  used += bytes
  return isZero.test(hex) ? randomHex(bytes) : hex
}

const isZero = /^0+$/
