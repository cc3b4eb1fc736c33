import type { GuardedText, Mask } from '../guard/guard.ts'
import type { HeldText } from './held-text.ts'
import { replaceAcross } from './replace-across.ts'

/** What a guard is shown at once: of each channel what is new, behind the end of what it has seen; and whole texts. */
export class WindowBatch {
  readonly #channels = new Map<string, { readonly tail: string; readonly pieces: HeldText[] }>()
  readonly #wholes: HeldText[] = []
  /** By scope and text: what is said twice is shown once. */
  #shown = new Map<string, GuardedText>()

  /** @param tailOf The end of what was cleared of a channel before. */
  add(text: HeldText, tailOf: (channel: string) => string): void {
    const { channel } = text
    if (channel === undefined) {
      this.#wholes.push(text)
      return
    }
    const known = this.#channels.get(channel)
    if (known) known.pieces.push(text)
    else this.#channels.set(channel, { tail: tailOf(channel), pieces: [text] })
  }

  /** The texts as a guard sees them; none that is empty. */
  texts(): readonly GuardedText[] {
    this.#shown = new Map()
    for (const { tail, pieces } of this.#channels.values()) {
      const said = joined(pieces)
      if (said !== '') this.#show(pieces[0] as HeldText, tail + said)
    }
    for (const whole of this.#wholes) if (whole.text !== '') this.#show(whole, whole.text)
    return [...this.#shown.values()]
  }

  /** How many texts were shown. */
  get size(): number {
    return this.#shown.size
  }

  /** @returns False if it would change what has been passed on before. */
  apply({ texts }: Mask): boolean {
    const made = new Map([...this.#shown.keys()].map((key, i) => [key, texts[i] as string]))
    const changes: (() => void)[] = []
    for (const { tail, pieces } of this.#channels.values()) {
      const said = joined(pieces)
      const masked = made.get(keyOf(pieces[0] as HeldText, tail + said))
      if (said === '' || masked === undefined) continue
      if (!masked.startsWith(tail)) return false
      changes.push(() => {
        put(pieces, masked.slice(tail.length))
      })
    }
    for (const whole of this.#wholes)
      changes.push(() => {
        whole.text = made.get(keyOf(whole, whole.text)) ?? whole.text
      })
    for (const change of changes) change()
    return true
  }

  /** What each channel has become, with the end of what was before it. */
  *cleared(): Generator<readonly [channel: string, text: string]> {
    for (const [channel, { tail, pieces }] of this.#channels) yield [channel, tail + joined(pieces)]
  }

  #show(text: HeldText, said: string): void {
    const { role, scope } = text.slot
    this.#shown.set(keyOf(text, said), { role, scope, text: said })
  }
}

const keyOf = ({ slot }: HeldText, said: string): string => `${slot.role} ${slot.scope} ${said}`

const joined = (pieces: readonly HeldText[]): string => {
  let text = ''
  for (const piece of pieces) text += piece.text
  return text
}

const put = (pieces: readonly HeldText[], text: string): void => {
  replaceAcross(
    pieces.map((piece) => piece.text),
    text,
  ).forEach((now, i) => ((pieces[i] as HeldText).text = now))
}
