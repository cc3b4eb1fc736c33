import type { Members } from '../llm/members/members.ts'
import { type CaseInsensitiveNames, otherCase } from './case-insensitive-names.ts'
import { type MemberSpan, type MemberSpans, memberSpans } from './member-offsets.ts'
import { readJson } from './read-json.ts'

/**
 * The text of a JSON object whose members can be changed. Unchanged parts stay byte for byte: numbers beyond
 * double precision, blanks, escapes, and repeated names in nested objects.
 *
 * The text must be valid JSON; in any other, members may read as undefined.
 */
export class EditableObject implements Members {
  readonly #bytes: Buffer
  readonly #found: MemberSpans
  /** In writing order. Created by the first change: most texts have none. */
  #entries: Entry[] | undefined = undefined

  private constructor(bytes: Buffer, found: MemberSpans) {
    this.#bytes = bytes
    this.#found = found
  }

  /**
   * Finds the members, or returns the problem if two readers could disagree about them.
   *
   * @param text The decoded bytes, if the caller has them.
   */
  static of(bytes: Buffer, text?: string): EditableObject | { readonly problem: string } {
    const found = memberSpans(bytes, text)
    return 'problem' in found ? found : new EditableObject(bytes, found)
  }

  /** The original text, for other changes. It is not parsed again. */
  unchanged(): EditableObject {
    return new EditableObject(this.#bytes, this.#found)
  }

  /** Whether the text has changed. */
  get changed(): boolean {
    return this.#entries !== undefined
  }

  /**
   * The problem of a member whose name equals a known one in another letter case; undefined if there is
   * none.
   */
  nameProblem(known: CaseInsensitiveNames): string | undefined {
    for (const { name } of this.#found.spans) {
      const like = known.likeOf(name)
      if (like !== undefined) return otherCase(name, like)
    }
    return undefined
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined
  }

  get(name: string): unknown {
    const entry = this.#find(name)
    return entry && readJson(entry.value ?? this.#written(entry.span))
  }

  /** `undefined` deletes the member, as in JSON. */
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

  /** Replaces a member that has the new name already. */
  rename(from: string, to: string): void {
    if (from === to || !this.has(from)) return
    this.delete(to)
    const entries = this.#edit()
    const i = entries.findIndex((one) => one.name === from)
    entries[i] = { ...(entries[i] as Entry), name: to }
  }

  /** The original bytes if nothing has changed. */
  toBuffer(): Buffer {
    const entries = this.#entries
    if (!entries) return this.#bytes
    const bytes = this.#bytes
    const { spans, begin } = this.#found
    const pieces: Buffer[] = []
    /** From here to `done` the text is copied unchanged. */
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

/** A member to write: without a new value its original text is used. */
interface Entry {
  readonly name: string
  /** JSON. */
  readonly value?: string
  readonly span?: MemberSpan
}
