/** Remembers the end of what was said: whole lines as long as they fit, and the end of the last one if it does not. */
export class StderrTail {
  readonly #length: number
  #text = ''

  constructor(length: number) {
    this.#length = length
  }

  add(line: string): void {
    this.#text = `${this.#text}\n${line}`
    if (this.#text.length <= this.#length) return
    const kept = this.#text.slice(-this.#length)
    const lineEnd = kept.indexOf('\n')
    this.#text = lineEnd < 0 ? kept.toWellFormed() : kept.slice(lineEnd)
  }

  get text(): string {
    return this.#text.trim()
  }
}
