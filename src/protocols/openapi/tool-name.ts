import { createHash } from 'node:crypto'

/** The limit of clients and of model APIs. */
const MAX_NAME = 64

/**
 * Unique names for tools. A name that is too long, or taken, ends in a hash that depends on the operation
 * alone, not on its position.
 */
export class ToolNames {
  readonly #taken = new Set<string>()

  /** @param location A unique key of the operation, such as its method and path. */
  nameFor(operationId: string, location: string): string {
    const plain = operationId.replace(/[^A-Za-z0-9_.-]+/g, '_')
    const isFree = plain.length <= MAX_NAME && plain !== '' && !this.#taken.has(plain)
    const name = isFree ? plain : this.#marked(plain, location)
    this.#taken.add(name)
    return name
  }

  #marked(plain: string, location: string): string {
    for (let i = 0; ; i++) {
      const mark = createHash('sha256').update(`${location}\n${i}`).digest('hex').slice(0, 8)
      const name = `${plain.slice(0, MAX_NAME - 1 - mark.length)}_${mark}`
      if (!this.#taken.has(name)) return name
    }
  }
}
