/** Size of a block for reading large bodies. A block belongs to its holder until it is released, or for good. */
const blockBytes = 65_536

/** Blocks that are kept for reuse: as many concurrent large responses allocate no new memory. */
const MAX_FREE = 32

const free: Buffer[] = []

/** A block without other references; its old content is still in it. */
export const takeBlock = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(blockBytes)

/** Only for a block without references, neither from JavaScript nor from a read or write under way. */
export const releaseBlock = (block: Buffer): void => {
  if (free.length < MAX_FREE) free.push(block)
}
