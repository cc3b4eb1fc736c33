import type { GuardedText } from './guard.ts'
import { maskAcross } from './mask-across.ts'

/** Texts after a mask. */
export interface MaskedParts {
  readonly texts: readonly string[]
  /** False if the texts need another check: the masks of the parts and of the joined text contradict each other. */
  readonly isFinal: boolean
}

/**
 * The texts that a guard checks: each part by itself, followed by the parts that are read as one text, joined.
 * Matches across a boundary are found in the joined text, and matches that depend on the boundary in the parts.
 */
export class JoinedTexts {
  /** All texts to check. */
  readonly shown: readonly GuardedText[]
  readonly #parts: readonly GuardedText[]
  readonly #runs: readonly (readonly number[])[]

  /** @param runs The texts that are read as one, by their indexes. */
  constructor(parts: readonly GuardedText[], runs: readonly (readonly number[])[]) {
    this.#parts = parts
    this.#runs = runs
    const joined = runs.map((run) => {
      const { role, scope } = parts[run[0] as number] as GuardedText
      return { role, scope, text: textOf(run, (at) => (parts[at] as GuardedText).text) }
    })
    this.shown = joined.length ? [...parts, ...joined] : parts
  }

  /** Applies the mask of {@link shown} to the parts. */
  masked(mask: readonly string[]): MaskedParts {
    const texts = mask.slice(0, this.#parts.length)
    let isFinal = true
    for (const [i, run] of this.#runs.entries()) {
      const joined = mask[this.#parts.length + i] as string
      const before = run.map((at) => (this.#parts[at] as GuardedText).text)
      if (joined === before.join('')) continue
      const isUntouched = run.every((at, index) => texts[at] === before[index])
      if (isUntouched)
        maskAcross(before, joined).forEach((text, index) => (texts[run[index] as number] = text))
      else if (joined !== textOf(run, (at) => texts[at] as string)) isFinal = false
    }
    return { texts, isFinal }
  }
}

const textOf = (run: readonly number[], text: (at: number) => string): string => run.map(text).join('')
