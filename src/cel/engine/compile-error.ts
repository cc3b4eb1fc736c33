/** A position in an expression. */
export interface ExpressionPosition {
  /** Characters before it. */
  readonly offset: number
  /** 1-based. */
  readonly line: number
  /** 1-based. */
  readonly column: number
}

/** A mistake in an expression, found when it is compiled. */
export class CelError extends Error {
  override readonly name = 'CelError'
  /** The problem, without position and hint. */
  readonly problem: string
  readonly position: ExpressionPosition
  /** A suggestion, if there is one. */
  readonly hint: string | undefined

  constructor(
    problem: string,
    position: ExpressionPosition,
    hint: string | undefined,
    options?: ErrorOptions,
  ) {
    const location = `line ${position.line}, column ${position.column}`
    super(`${problem} (${location})${hint === undefined ? '' : `; ${hint}`}`, options)
    this.problem = problem
    this.position = position
    this.hint = hint
  }
}

/** The position of a character of `text`. */
export const positionAt = (text: string, offset: number): ExpressionPosition => {
  const before = text.slice(0, offset)
  return {
    offset,
    line: before.split('\n').length,
    column: offset - before.lastIndexOf('\n'),
  }
}
