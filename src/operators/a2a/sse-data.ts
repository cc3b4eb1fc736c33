/**
 * Takes the data out of an event stream that goes by, event by event. Of each event no more than `limit` characters are
 * kept, however long it is.
 */
export class EventTexts {
  readonly #limit: number
  readonly #tell: (data: string) => void
  /** A line that has not ended, as far as it is kept. */
  #line = ''
  /** The data of an event that has not ended; undefined if there is none. */
  #data: string | undefined = undefined
  /** A line feed that follows belongs to the carriage return before it. */
  #afterReturn = false

  constructor(limit: number, tell: (data: string) => void) {
    this.#limit = limit
    this.#tell = tell
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
      if (data !== undefined) this.#tell(data)
      return
    }
    if (!line.startsWith('data:')) return
    const more = line.slice(line[5] === ' ' ? 6 : 5)
    this.#data = (this.#data === undefined ? more : `${this.#data}\n${more}`).slice(0, this.#limit)
  }
}

const lineBreaks = /\r\n|\r|\n/g
