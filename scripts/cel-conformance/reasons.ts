import type { SpecCase } from './spec-cases.ts'

/** Why some tests of the specification fail permanently. */
export interface Reason {
  readonly title: string
  readonly why: string
  readonly holds: (one: SpecCase) => boolean
}

const inFile =
  (file: string, ...parts: readonly (string | RegExp)[]): Reason['holds'] =>
  (one) =>
    one.file === file &&
    (parts.length === 0 ||
      parts.some((part) => (typeof part === 'string' ? one.name === part : part.test(one.test.expr))))

/** The first that applies counts. */
export const reasons: readonly Reason[] = [
  {
    title: 'Expressions are always checked',
    why: 'These tests evaluate what does not pass the type check: an unknown variable or function, or a number where a boolean has to be. Such an expression is refused when the configuration is loaded.',
    holds: ({ test }) => test.disableCheck,
  },
  {
    title: 'Variables have simple names',
    why: 'The variables of a gateway are fixed, and none has a dot in its name.',
    holds: ({ test }) =>
      [...Object.keys(test.bindings), ...test.typeEnv.map(({ name }) => name)].some((name) =>
        name.includes('.'),
      ),
  },
  {
    title: 'Optional values',
    why: '`optional.of(x)`, `a.?b` and `a[?b]` are not offered: `default(a.b, x)`, `has(a.b)` and `coalesce(…)` say the same.',
    holds: inFile('optionals'),
  },
  {
    title: 'Loops with two variables',
    why: '`list.all(index, item, …)`, `transformList` and `transformMap` are not offered. Maps have `mapValues` and `filterKeys`.',
    holds: inFile('macros2'),
  },
  {
    title: 'Blocks',
    why: '`cel.@block` is written by optimisers, not by people.',
    holds: inFile('block_ext'),
  },
  {
    title: 'Formatting',
    why: '`string.format(list)` and `strings.quote(string)` are not offered: join texts with `+`, and quote with `toJson`.',
    holds: inFile('string_ext', /\.format\(|strings\.quote\(/),
  },
  {
    title: 'Fields in back-quotes',
    why: 'Write `a["b-c"]` where the specification allows a field in back-quotes.',
    holds: inFile('fields', /`/),
  },
  {
    title: 'Raw bytes',
    why: 'Bytes cannot be written raw, as `br"…"`. Raw strings (`r"…"`) and bytes with escapes (`b"…"`) can.',
    holds: inFile('parse', /^b[rR]/),
  },
  {
    title: 'Milliseconds',
    why: 'Timestamps are exact to a millisecond; what is finer is cut off. Durations are exact to a nanosecond.',
    holds: inFile('timestamps', /\d\.\d{9}Z/),
  },
  {
    title: 'Exact comparisons',
    why: 'An integer and a double are compared by their exact values; the specification rounds the integer to a double first.',
    holds: inFile('comparisons', /dyn\(922337203685477580[78]/),
  },
  {
    title: 'Numbers begin with a digit',
    why: 'Write `0.99`, not `.99`.',
    holds: inFile('comparisons', /^\.\d/),
  },
  {
    title: 'Types of empty lists',
    why: 'The static type of a list of empty lists of different depth is less exact than it could be. Its value is right.',
    holds: inFile('type_deductions', /\[\[\[/),
  },
]
