/** A place in an expression. */
export interface Position {
  /** Characters before it. */
  readonly offset: number
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}

/** What is wrong with an expression, found when it is compiled. */
export class CelError extends Error {
  override readonly name = 'CelError'
  /** What is wrong, without place and hint. */
  readonly problem: string
  readonly position: Position
  /** What was probably meant. */
  readonly hint: string | undefined

  constructor(problem: string, position: Position, hint: string | undefined, options?: ErrorOptions) {
    const place = `line ${position.line}, column ${position.column}`
    super(`${problem} (${place})${hint === undefined ? '' : `; ${hint}`}`, options)
    this.problem = problem
    this.position = position
    this.hint = hint
  }
}

/** The place of a character of `text`. */
export const positionAt = (text: string, offset: number): Position => {
  const before = text.slice(0, offset)
  return {
    offset,
    line: before.split('\n').length,
    column: offset - before.lastIndexOf('\n'),
  }
}
