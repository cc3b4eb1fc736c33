import { RE2JS } from 're2js'

/** A pattern (RE2 syntax) as instructions for an engine that runs all threads in parallel. */
export interface Program {
  readonly instructions: readonly Instruction[]
  /** Index of the first instruction. */
  readonly start: number
  /** Code points of the longest possible match; `Infinity` if there is no bound. */
  readonly longest: number
}

/** One instruction: a character, a fork, a condition, the end. */
export interface Instruction {
  readonly op: number
  /** The instruction that follows. */
  readonly out: number
  /** The second target of a fork, or the conditions; for a character whether case matters. */
  readonly arg: number
  /** A character, or the first and the last of each range. */
  readonly runes: ArrayLike<number>
  matchRune(rune: number): boolean
}

/** Kinds of instructions. Those from `set` on consume a character. */
export const operations = {
  fork: 1,
  forkToEnd: 2,
  capture: 3,
  condition: 4,
  fail: 5,
  end: 6,
  nothing: 7,
  set: 8,
  one: 9,
  any: 10,
  anyInLine: 11,
} as const
/** Larger patterns would take too much time per character. */
const MOST_INSTRUCTIONS = 5_000

/**
 * @throws Error with RE2's explanation if the pattern is not valid.
 * @example
 * compilePattern('\\d{3}-\\d{4}').longest // 8
 * compilePattern('a(') // throws: error parsing regexp: missing closing ): `a(`
 */
export const compilePattern = (text: string): Program => {
  // The instructions are not a public interface of the library; the tests compare the matches with the library's.
  const { inst: instructions, start } = RE2JS.compile(text).re2Input.prog as {
    readonly inst: readonly Instruction[]
    readonly start: number
  }
  if (instructions.length > MOST_INSTRUCTIONS) throw new Error('error parsing regexp: pattern is too large')
  if (instructions.some(({ op }) => op < 1 || op > operations.anyInLine))
    throw new Error('error parsing regexp: pattern holds something that is not supported')
  return { instructions, start, longest: longestFrom(instructions, start) }
}

/** Whether an instruction consumes this character. */
export const consumesRune = (instruction: Instruction, rune: number): boolean => {
  if (instruction.op < operations.set) return false
  if (instruction.op === operations.any) return true
  return instruction.op === operations.anyInLine ? rune !== 10 : instruction.matchRune(rune)
}

const longestFrom = (instructions: readonly Instruction[], start: number): number => {
  const known: (number | undefined)[] = []
  const from = (pc: number): number => {
    const longest = known[pc]
    if (longest !== undefined) return longest
    // A visit during this computation means a loop.
    known[pc] = Infinity
    const { op, out, arg } = instructions[pc] as Instruction
    if (op === operations.fail) known[pc] = -Infinity
    else if (op === operations.end) known[pc] = 0
    else if (op === operations.fork || op === operations.forkToEnd) known[pc] = Math.max(from(out), from(arg))
    else known[pc] = from(out) + (op >= operations.set ? 1 : 0)
    return known[pc]
  }
  return from(start)
}
