import { createHash } from 'node:crypto'

/** What clients and the interfaces of models take. */
const MAX_NAME = 64

/** Names for tools. What is too long, or taken, ends in a word that depends on the operation alone, not on its place. */
export class ToolNames {
  readonly #taken = new Set<string>()

  /** @param place What no other operation has, such as its method and path. */
  nameFor(operationId: string, place: string): string {
    const plain = operationId.replace(/[^A-Za-z0-9_.-]+/g, '_')
    const isFree = plain.length <= MAX_NAME && plain !== '' && !this.#taken.has(plain)
    const name = isFree ? plain : this.#marked(plain, place)
    this.#taken.add(name)
    return name
  }

  #marked(plain: string, place: string): string {
    for (let i = 0; ; i++) {
      const mark = createHash('sha256').update(`${place}\n${i}`).digest('hex').slice(0, 8)
      const name = `${plain.slice(0, MAX_NAME - 1 - mark.length)}_${mark}`
      if (!this.#taken.has(name)) return name
    }
  }
}
