import type { GuardedText, Mask } from '../guard.ts'
import { maskAcross } from '../mask-across.ts'
import type { PendingText, TextRun } from './pending-event.ts'
import { replaceAcross } from './replace-across-chunks.ts'

/**
 * The texts of one check: the new text of each channel after the end of what was cleared before, and complete texts.
 */
export class WindowBatch {
  /** Channels that are read as one, in the order of their first piece, with the end of the text before them. */
  readonly #stretches = new Map<
    string,
    { readonly tail: string; readonly pieces: PendingText[]; readonly channels: Set<string> }
  >()
  readonly #runs = new Set<TextRun>()
  readonly #channels = new Map<string, { readonly tail: string; readonly pieces: PendingText[] }>()
  readonly #wholes: PendingText[] = []
  /** By scope and text: equal texts are checked once. */
  #shown = new Map<string, GuardedText>()

  /** @param tailOf The end of what was cleared of a channel, or of a stretch, before. */
  add(text: PendingText, tailOf: (channel: string) => string): void {
    const { channel, stretch } = text
    if (channel === undefined) {
      this.#wholes.push(text)
      if (text.run) this.#runs.add(text.run)
      return
    }
    if (stretch !== undefined) {
      let known = this.#stretches.get(stretch)
      if (!known)
        this.#stretches.set(stretch, (known = { tail: tailOf(stretch), pieces: [], channels: new Set() }))
      known.pieces.push(text)
      known.channels.add(channel)
    }
    const known = this.#channels.get(channel)
    if (known) known.pieces.push(text)
    else this.#channels.set(channel, { tail: tailOf(channel), pieces: [text] })
  }

  /** The texts to check; none is empty. */
  texts(): readonly GuardedText[] {
    this.#shown = new Map()
    for (const { tail, pieces } of this.#channels.values()) {
      const current = joined(pieces)
      if (current !== '') this.#show(pieces[0] as PendingText, tail + current)
    }
    for (const whole of this.#wholes) if (whole.text !== '') this.#show(whole, whole.text)
    for (const { tail, pieces } of this.#joined()) this.#show(pieces[0] as PendingText, tail + joined(pieces))
    return [...this.#shown.values()]
  }

  /** The number of texts to check. */
  get size(): number {
    return this.#shown.size
  }

  /**
   * @returns `late` if the mask changes text that has already been passed on; `again` if the joined texts need
   *   another check because their parts have changed.
   */
  apply({ texts }: Mask): 'done' | 'late' | 'again' {
    const made = new Map([...this.#shown.keys()].map((key, i) => [key, texts[i] as string]))
    const wanted = [...this.#joined()].map(({ tail, pieces }) => {
      const current = tail + joined(pieces)
      return {
        tail,
        pieces,
        before: pieces.map(({ text }) => text),
        masked: made.get(keyOf(pieces[0] as PendingText, current)) ?? current,
        current,
      }
    })
    const changes: (() => void)[] = []
    for (const { tail, pieces } of this.#channels.values()) {
      const current = joined(pieces)
      const masked = made.get(keyOf(pieces[0] as PendingText, tail + current))
      if (current === '' || masked === undefined) continue
      if (!masked.startsWith(tail)) return 'late'
      changes.push(() => {
        put(pieces, masked.slice(tail.length))
      })
    }
    for (const whole of this.#wholes)
      changes.push(() => {
        whole.text = made.get(keyOf(whole, whole.text)) ?? whole.text
      })
    for (const change of changes) change()
    let isFinal = true
    for (const { tail, pieces, before, masked, current } of wanted) {
      if (masked === current) continue
      if (!masked.startsWith(tail)) return 'late'
      const isUntouched = pieces.every((piece, i) => piece.text === before[i])
      if (isUntouched)
        maskAcross(before, masked.slice(tail.length)).forEach(
          (text, i) => ((pieces[i] as PendingText).text = text),
        )
      else if (masked !== tail + joined(pieces)) isFinal = false
    }
    return isFinal ? 'done' : 'again'
  }

  /** The current text of each channel, after the end of what was cleared before. */
  *cleared(): Generator<readonly [channel: string, text: string]> {
    for (const [channel, { tail, pieces }] of this.#channels) yield [channel, tail + joined(pieces)]
    for (const [stretch, { tail, pieces }] of this.#stretches) yield [stretch, tail + joined(pieces)]
  }

  /** Texts that are read as one and have several parts. */
  *#joined(): Generator<{ readonly tail: string; readonly pieces: readonly PendingText[] }> {
    for (const { tail, pieces, channels } of this.#stretches.values()) {
      const [only] = channels
      const isOne = channels.size === 1 && this.#channels.get(only as string)?.tail === tail
      if (!isOne && joined(pieces) !== '') yield { tail, pieces }
    }
    for (const { texts } of this.#runs) if (joined(texts) !== '') yield { tail: '', pieces: texts }
  }

  #show(text: PendingText, current: string): void {
    const { role, scope } = text.slot
    this.#shown.set(keyOf(text, current), { role, scope, text: current })
  }
}

const keyOf = ({ slot }: PendingText, current: string): string => `${slot.role} ${slot.scope} ${current}`

const joined = (pieces: readonly PendingText[]): string => {
  let text = ''
  for (const piece of pieces) text += piece.text
  return text
}

const put = (pieces: readonly PendingText[], text: string): void => {
  replaceAcross(
    pieces.map((piece) => piece.text),
    text,
  ).forEach((now, i) => ((pieces[i] as PendingText).text = now))
}
