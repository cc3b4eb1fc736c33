import type { Position } from '../../config/document/document.ts'

/** Something that the imported configuration does not have, or has in another way. */
export interface ImportFinding {
  /**
   * `dropped`: the result is without it. `changed`: it is carried over, and behaves in another way. `closed`: it
   * restricted access and cannot be carried over; requests that it was for are refused.
   */
  readonly kind: 'dropped' | 'changed' | 'closed'
  readonly file: string
  /** 1-based. */
  readonly line: number
  /** 1-based, in characters. */
  readonly column: number
  /** The directive or the field. */
  readonly subject: string
  readonly reason: string
  /** What to do instead. */
  readonly hint?: string
}

/** Why something is not carried over, and what to do instead. */
export interface ImportReason {
  readonly reason: string
  readonly hint?: string
}

/** Collects findings, comments of the result, and where its parts come from. */
export class ImportReport {
  readonly file: string
  readonly #findings: ImportFinding[] = []
  readonly #comments = new WeakMap<object, string[]>()
  readonly #origins = new WeakMap<object, Position>()

  constructor(file: string) {
    this.file = file
  }

  /** In the order of the file. */
  get findings(): readonly ImportFinding[] {
    return this.#findings.toSorted((a, b) => a.line - b.line || a.column - b.column)
  }

  add(kind: ImportFinding['kind'], { line, column }: Position, subject: string, why: ImportReason): void {
    const known = this.#findings.some(
      (one) => one.line === line && one.column === column && one.subject === subject && one.kind === kind,
    )
    if (!known) this.#findings.push({ kind, file: this.file, line, column, subject, ...why })
  }

  dropped(at: Position, subject: string, reason: string, hint?: string): void {
    this.add('dropped', at, subject, { reason, ...(hint === undefined ? {} : { hint }) })
  }

  changed(at: Position, subject: string, reason: string, hint?: string): void {
    this.add('changed', at, subject, { reason, ...(hint === undefined ? {} : { hint }) })
  }

  closed(at: Position, subject: string, reason: string, hint?: string): void {
    this.add('closed', at, subject, { reason, ...(hint === undefined ? {} : { hint }) })
  }

  /** Puts a comment above a part of the result: an object or a list. */
  comment(part: object, text: string): void {
    const lines = this.#comments.get(part) ?? []
    this.#comments.set(part, [...lines, ...text.split('\n')])
  }

  commentOf(part: object): readonly string[] {
    return this.#comments.get(part) ?? []
  }

  /** Records where a part of the result comes from, for problems that are found in it. */
  origin(part: object, at: Position): void {
    this.#origins.set(part, at)
  }

  originOf(part: object): Position | undefined {
    return this.#origins.get(part)
  }
}
