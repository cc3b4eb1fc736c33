import type { Members } from '../llm/members.ts'
import { type MemberSpan, type MemberSpans, memberSpans } from './member-spans.ts'
import { readJson } from './read-json.ts'

/**
 * The text of a JSON object whose members can be changed. All that nobody changed stays byte for byte as it was written:
 * numbers that no computer can hold, blanks, escapes, and names that come twice further down.
 *
 * The text must be one that `JSON.parse` takes; of any other, members may read as undefined.
 */
export class MemberText implements Members {
  readonly #bytes: Buffer
  readonly #found: MemberSpans
  /** In the order in which they will be written. Made with the first change: most texts have none. */
  #entries: Entry[] | undefined = undefined

  private constructor(bytes: Buffer, found: MemberSpans) {
    this.#bytes = bytes
    this.#found = found
  }

  /**
   * Finds the members, or says why two readers could disagree about them.
   *
   * @param text The same, decoded, if that is at hand.
   */
  static of(bytes: Buffer, text?: string): MemberText | { readonly problem: string } {
    const found = memberSpans(bytes, text)
    return 'problem' in found ? found : new MemberText(bytes, found)
  }

  /** The same text as it was at first, for other changes. Costs nothing: it is not read again. */
  unchanged(): MemberText {
    return new MemberText(this.#bytes, this.#found)
  }

  /** Whether the text is another than at first. */
  get changed(): boolean {
    return this.#entries !== undefined
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined
  }

  get(name: string): unknown {
    const entry = this.#find(name)
    return entry && readJson(entry.value ?? this.#written(entry.span))
  }

  /** Takes `undefined` for a deletion, as JSON does. */
  set(name: string, value: unknown): void {
    const text = JSON.stringify(value) as string | undefined
    if (text === undefined) {
      this.delete(name)
      return
    }
    const entry = this.#find(name)
    if (entry && (entry.value ?? this.#writtenIf(entry.span, Buffer.byteLength(text))) === text) return
    const entries = this.#edit()
    const i = entries.findIndex((one) => one.name === name)
    if (i < 0) entries.push({ name, value: text })
    else entries[i] = { ...(entries[i] as Entry), value: text }
  }

  delete(name: string): void {
    if (!this.has(name)) return
    const entries = this.#edit()
    entries.splice(
      entries.findIndex((one) => one.name === name),
      1,
    )
  }

  /** Takes the place of a member that has the new name already. */
  rename(from: string, to: string): void {
    if (from === to || !this.has(from)) return
    this.delete(to)
    const entries = this.#edit()
    const i = entries.findIndex((one) => one.name === from)
    entries[i] = { ...(entries[i] as Entry), name: to }
  }

  /** The same bytes if nothing has changed. */
  toBuffer(): Buffer {
    const entries = this.#entries
    if (!entries) return this.#bytes
    const bytes = this.#bytes
    const { spans, begin } = this.#found
    const pieces: Buffer[] = []
    /** From here to `done` the text is taken over as it is. */
    let from = 0
    let done = spans[0]?.nameStart ?? begin
    const write = (text: string): void => {
      if (done > from) pieces.push(bytes.subarray(from, done))
      pieces.push(Buffer.from(text))
      from = done
    }
    const takeUp = (start: number, end: number): void => {
      if (start !== done) {
        if (done > from) pieces.push(bytes.subarray(from, done))
        from = start
      }
      done = end
    }
    let isFirst = true
    for (const { name, value, span } of entries) {
      if (!span) write(`${isFirst ? '' : ','}${JSON.stringify(name)}:${String(value)}`)
      else {
        if (!isFirst) takeUp(span.gapStart, span.nameStart)
        if (name === span.name) takeUp(span.nameStart, span.nameEnd)
        else write(JSON.stringify(name))
        takeUp(span.nameEnd, span.valueStart)
        if (value === undefined) takeUp(span.valueStart, span.valueEnd)
        else write(value)
      }
      isFirst = false
    }
    takeUp(spans.at(-1)?.valueEnd ?? begin, bytes.length)
    pieces.push(bytes.subarray(from, done))
    return Buffer.concat(pieces)
  }

  #find(name: string): Entry | undefined {
    if (this.#entries) return this.#entries.find((one) => one.name === name)
    const span = this.#found.spans.find((one) => one.name === name)
    return span && { name, span }
  }

  #edit(): Entry[] {
    this.#entries ??= this.#found.spans.map((span) => ({ name: span.name, span }))
    return this.#entries
  }

  #written(span: MemberSpan | undefined): string {
    return span ? this.#bytes.toString('utf8', span.valueStart, span.valueEnd) : ''
  }

  #writtenIf(span: MemberSpan | undefined, lengthBytes: number): string | undefined {
    return span && span.valueEnd - span.valueStart === lengthBytes ? this.#written(span) : undefined
  }
}

/** A member as it will be written: what is not said anew stays as it is in the text. */
interface Entry {
  readonly name: string
  /** JSON. */
  readonly value?: string
  readonly span?: MemberSpan
}
