import type { ReadStream, WriteStream } from 'node:tty'
import type { Line, Tone } from './span.ts'
import type { ScreenSize } from './tui-state.ts'

/** The terminal as a program that fills it uses it: {@link TraceScreen.leave} gives it back as it was. */
export class TraceScreen {
  readonly #input: ReadStream
  readonly #output: WriteStream
  readonly #hasColor: boolean
  #isEntered = false
  #drawn: readonly string[] = []

  constructor(input: ReadStream, output: WriteStream, hasColor: boolean) {
    this.#input = input
    this.#output = output
    this.#hasColor = hasColor
  }

  get size(): ScreenSize {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 }
  }

  /** Switches to the alternate screen, without a cursor, and to input key by key. */
  enter(): void {
    this.#drawn = []
    this.#isEntered = true
    // A terminal that was stopped and resumed has modes of the shell that Node does not know of.
    this.#input.setRawMode(false)
    this.#input.setRawMode(true)
    this.#output.write(enterScreen)
  }

  /** The opposite. Everything is written before it returns, so that it may be called at the exit of the process. */
  leave(): void {
    if (!this.#isEntered) return
    this.#isEntered = false
    this.#input.setRawMode(false)
    this.#output.write(leaveScreen)
  }

  /** Writes the lines that differ from the last ones. */
  draw(lines: readonly Line[]): void {
    if (!this.#isEntered) return
    const next = lines.map((one) => encodeLine(one, this.#hasColor))
    const changes = next.flatMap((text, index) =>
      text === this.#drawn[index] ? [] : [`\u001b[${String(index + 1)};1H\u001b[2K${text}`],
    )
    this.#drawn = next
    if (changes.length > 0) this.#output.write(beginUpdate + changes.join('') + endUpdate)
  }

  /** Forgets what was drawn: after a change of the size, or if another program wrote to the terminal. */
  clear(): void {
    this.#drawn = []
    if (this.#isEntered) this.#output.write('\u001b[2J')
  }

  /** Asks the terminal to put a text on its clipboard, which works over SSH as well. */
  copy(text: string): void {
    const encoded = Buffer.from(text).toString('base64')
    // Terminals ignore longer ones.
    if (encoded.length <= maxClipboard) this.#output.write(`\u001b]52;c;${encoded}\u0007`)
  }
}

/** A line with its attributes. Without colours only those that are none: bold, dim and reverse. */
export const encodeLine = (spans: Line, hasColor: boolean): string =>
  spans
    .map(({ text, tone }) => {
      const attribute = (hasColor ? colors : attributes)[tone]
      return attribute === '' ? text : `\u001b[${attribute}m${text}\u001b[0m`
    })
    .join('')

const attributes: Readonly<Record<Tone, string>> = {
  plain: '',
  dim: '2',
  strong: '1',
  accent: '',
  good: '',
  warn: '',
  bad: '1',
  selected: '7',
  hit: '1;7',
}

const colors: Readonly<Record<Tone, string>> = {
  ...attributes,
  accent: '36',
  good: '32',
  warn: '33',
  bad: '31',
  hit: '30;43',
}

// The alternate screen; no cursor; no new line after the last column, so that a wide character breaks nothing.
const enterScreen = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J'
const leaveScreen = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l'
// Terminals that know it show all changes at once.
const beginUpdate = '\u001b[?2026h'
const endUpdate = '\u001b[?2026l'
const maxClipboard = 100_000
