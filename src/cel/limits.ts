/**
 * The limits of expressions. Expressions come from configuration and their inputs from callers, so every
 * bound holds for the worst case of both: no expression blocks the event loop for longer than `elapsedMs`
 * plus one step.
 */
export const limits = {
  /** Characters of an expression. */
  textChars: 16_384,
  /** Characters of all definitions of functions of a configuration. */
  definitionChars: 65_536,
  /** Nodes of its syntax tree, plus those of the functions that it calls, counted for each call. */
  nodes: 4_000,
  /** Levels of brackets, calls and member accesses, as written. */
  depth: 100,
  /** Levels of its syntax tree: a chain of 1,000 `||` is as deep as 1,000 brackets, and evaluation recurses. */
  treeDepth: 1_000,
  /** Elements of one list or map literal. */
  elements: 1_000,
  /** Arguments of one call. */
  callArguments: 32,
  /**
   * Units of work of one evaluation: an iteration of a loop is one unit, and so are every 64 characters or
   * bytes, or 16 elements, that the body of a loop reads. A unit is 50 to 100 ns.
   */
  cost: 1_000_000,
  /**
   * Checked by loops and regular-expression replacement, for work that units do not count (deep
   * comparisons).
   */
  elapsedMs: 200,
  /** Characters of a regular expression literal, and instructions it compiles to. */
  patternChars: 4_096,
  patternSize: 10_000,
  /** The same for a computed pattern, which may come from a caller. */
  computedPatternChars: 256,
  computedPatternSize: 1_000,
  /** Sum of the counted repetitions (`{n,m}`) of a computed pattern: they are what makes compiling expensive. */
  computedRepeats: 100,
  /** Computed patterns in the cache; each may use 8 MiB for its automaton. */
  computedPatterns: 8,
  /** Levels of a JSON text. */
  jsonDepth: 200,
} as const
