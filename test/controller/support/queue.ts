/** Values that are awaited one by one. */
export class Queue<T> {
  readonly #values: T[] = []
  readonly #waiting: ((value: T) => void)[] = []

  push(value: T): void {
    const taker = this.#waiting.shift()
    if (taker) taker(value)
    else this.#values.push(value)
  }

  /** The next value, now or later. */
  next(): Promise<T> {
    const value = this.#values.shift()
    return value === undefined
      ? new Promise((resolve) => this.#waiting.push(resolve))
      : Promise.resolve(value)
  }

  /** The next values. */
  async take(count: number): Promise<readonly T[]> {
    const values: T[] = []
    while (values.length < count) values.push(await this.next())
    return values
  }

  get size(): number {
    return this.#values.length
  }
}
