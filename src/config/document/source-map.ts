import type { ConfigDocument, Position } from './document.ts'
import type { ConfigProblem } from '../errors.ts'
import { display, parent } from './json-pointer.ts'

/** Records positions, original texts and problems while a document is read. */
export class DocumentRecord {
  readonly problems: ConfigProblem[] = []
  /** Pointers of invalid values. */
  readonly broken: string[] = []
  readonly #file: string
  readonly #position: (offset: number) => Position
  /** Offsets; lines and columns are computed on demand. */
  readonly #values = new Map<string, number>()
  readonly #keys = new Map<string, number>()
  readonly #written = new Map<string, { readonly source: string; readonly text: string }>()
  readonly #lists = new Set<string>()
  readonly #empty: string[] = []
  readonly #nulls: string[] = []
  readonly #secrets = new Set<string>()

  constructor(file: string, position: (offset: number) => Position) {
    this.#file = file
    this.#position = position
  }

  lineOf(offset: number): number {
    return this.#position(offset).line
  }

  value(pointer: string, offset: number): void {
    this.#values.set(pointer, offset)
  }

  list(pointer: string): void {
    this.#lists.add(pointer)
  }

  field(pointer: string, offset: number): void {
    this.#keys.set(pointer, offset)
    this.#values.set(pointer, offset)
  }

  /** The line of a field that was recorded before. */
  fieldLine(pointer: string): number {
    return this.lineOf(this.#keys.get(pointer) ?? 0)
  }

  emptyField(pointer: string): void {
    this.#empty.push(pointer)
  }

  nullField(pointer: string): void {
    this.#nulls.push(pointer)
  }

  substitution(pointer: string, source: string, text: string): void {
    this.#written.set(pointer, { source, text })
  }

  secret(value: string): void {
    this.#secrets.add(value)
  }

  /** Reports a problem that leaves the value undefined. */
  breakage(offset: number, pointer: string, expectation: string, hint?: string): void {
    this.broken.push(pointer)
    this.problem(offset, pointer, expectation, hint)
  }

  problem(offset: number, pointer: string, expectation: string, hint?: string): void {
    this.problems.push({
      file: this.#file,
      ...this.#position(offset),
      pointer,
      path: this.#display(pointer),
      expectation,
      ...(hint === undefined ? {} : { hint }),
    })
  }

  document(value: unknown): ConfigDocument {
    return {
      file: this.#file,
      value,
      valueAt: (pointer) => this.#position(nearestRecorded(this.#values, pointer)),
      keyAt: (pointer) => this.#position(this.#keys.get(pointer) ?? nearestRecorded(this.#values, pointer)),
      writtenAs: (pointer) => this.#written.get(pointer)?.source,
      substitutedText: (pointer) => this.#written.get(pointer)?.text,
      empty: this.#empty,
      nulls: this.#nulls,
      secrets: [...this.#secrets],
      display: (pointer) => this.#display(pointer),
    }
  }

  #display(pointer: string): string {
    return display(pointer, (at) => this.#lists.has(at))
  }
}

/** The offset recorded for a pointer or for its nearest recorded parent. */
function nearestRecorded(offsets: ReadonlyMap<string, number>, pointer: string): number {
  for (let at = pointer; ; at = parent(at)) {
    const offset = offsets.get(at)
    if (offset !== undefined || at === '') return offset ?? 0
  }
}
