/**
 * Extracts the data of the events of a stream. At most `limit` characters of each event are kept, however long it is.
 */
export class SseDataTexts {
  readonly #limit: number
  readonly #onData: (data: string) => void
  /** An unfinished line, as far as it is kept. */
  #line = ''
  /** The data of the unfinished event; undefined if it has none. */
  #data: string | undefined = undefined
  /** The last byte was a carriage return: a line feed that follows belongs to it. */
  #afterReturn = false

  constructor(limit: number, onData: (data: string) => void) {
    this.#limit = limit
    this.#onData = onData
  }

  add(text: string): void {
    let from = this.#afterReturn && text.startsWith('\n') ? 1 : 0
    if (text !== '') this.#afterReturn = text.endsWith('\r')
    lineBreaks.lastIndex = from
    for (let found = lineBreaks.exec(text); found; found = lineBreaks.exec(text)) {
      this.#keep(text, from, found.index)
      from = lineBreaks.lastIndex
      this.#lineEnded()
    }
    this.#keep(text, from, text.length)
  }

  #keep(text: string, from: number, to: number): void {
    const room = this.#limit - this.#line.length
    if (room > 0 && to > from) this.#line += text.slice(from, Math.min(to, from + room))
  }

  #lineEnded(): void {
    const line = this.#line
    this.#line = ''
    if (line === '') {
      const data = this.#data
      this.#data = undefined
      if (data !== undefined) this.#onData(data)
      return
    }
    if (!line.startsWith('data:')) return
    const more = line.slice(line[5] === ' ' ? 6 : 5)
    this.#data = (this.#data === undefined ? more : `${this.#data}\n${more}`).slice(0, this.#limit)
  }
}

const lineBreaks = /\r\n|\r|\n/g
