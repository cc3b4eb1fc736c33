import { type Instruction, operations, type Program, consumesRune } from './program.ts'

/** With more, almost nothing would be skipped in prose. */
const MOST_CHARACTERS = 16
const ASCII = 128
const FOLDS = 1

/**
 * Finds the possible first characters of a program's matches; undefined if there are too many to search for.
 * A single character takes V8 linear time.
 */
export const openingOf = (program: Program): RegExp | undefined => {
  const characters = new Set<number>()
  for (const instruction of firstOf(program)) {
    if (reachesBeyondAscii(instruction)) return undefined
    for (let rune = 0; rune < ASCII; rune++) if (consumesRune(instruction, rune)) characters.add(rune)
    if (characters.size > MOST_CHARACTERS) return undefined
  }
  if (characters.size === 0) return undefined
  return new RegExp(
    `[${[...characters].map((rune) => `\\x${rune.toString(16).padStart(2, '0')}`).join('')}]`,
    'g',
  )
}

const reachesBeyondAscii = ({ op, arg, runes }: Instruction): boolean =>
  op === operations.any ||
  op === operations.anyInLine ||
  (arg & FOLDS) !== 0 ||
  (runes[runes.length - 1] ?? 0) >= ASCII

/** The possible first characters, regardless of conditions. */
const firstOf = ({ instructions, start }: Program): readonly Instruction[] => {
  const first: Instruction[] = []
  const seen = new Set([start])
  // Elements added during the iteration are visited, too.
  for (const pc of seen) {
    const instruction = instructions[pc] as Instruction
    const { op, out, arg } = instruction
    if (op > operations.nothing) first.push(instruction)
    else if (op === operations.fork || op === operations.forkToEnd) seen.add(out).add(arg)
    else if (op !== operations.fail && op !== operations.end) seen.add(out)
  }
  return first
}
