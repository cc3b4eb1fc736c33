/** Memory for reading large bodies. A block belongs to whoever took it until it is given back, or for good. */
const blockBytes = 65_536

/** Blocks that are kept for the next who asks: as many large answers at the same time cost no new memory. */
const MAX_FREE = 32

const free: Buffer[] = []

/** A block nobody else refers to; its content is left from before. */
export const takeBlock = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(blockBytes)

/** Only for a block that nothing refers to any more, neither JavaScript nor a read or write under way. */
export const giveBackBlock = (block: Buffer): void => {
  if (free.length < MAX_FREE) free.push(block)
}
