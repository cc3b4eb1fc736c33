/** A position in a text. */
export interface Position {
  /** 1-based. */
  readonly line: number
  /** 1-based, in characters. */
  readonly column: number
}

/** A parsed configuration with the positions of its values. */
export interface ConfigDocument {
  readonly file: string
  /** Undefined if the syntax is broken. */
  readonly value: unknown
  /** Where a value begins; if the pointer leads nowhere, where its nearest parent begins. */
  valueAt(pointer: string): Position
  /** Where the name of a field begins; for list items, where the item begins. */
  keyAt(pointer: string): Position
  /** The text of a scalar before substitution, if variables were substituted. */
  writtenAs(pointer: string): string | undefined
  /** The text of a scalar after substitution, if variables were substituted. */
  substitutedText(pointer: string): string | undefined
  /** Pointers of fields without a value, or with `null`. */
  readonly empty: readonly string[]
  /** Pointers of fields that are set to `null` or to an empty text explicitly. */
  readonly nulls: readonly string[]
  /** Values of variables that are named like credentials. */
  readonly secrets: readonly string[]
  display(pointer: string): string
}
