import type { Part, TextPart } from '../chat/parts.ts'
import type { Turn } from '../chat/request.ts'
import type { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { type CallIds, decodePart } from './decode-parts.ts'

/** The turns of `contents`. */
export const decodeContents = (contents: readonly Fields[], losses: Losses): readonly Turn[] => {
  const ids = new PositionalIds()
  return contents.map((content) => {
    const role = roleOf(content)
    const parts: Part[] = []
    for (const part of content.list('parts')) {
      const decoded = decodePart(part, ids, losses)
      if (decoded) parts.push(decoded)
      if (decoded?.type === 'toolCall') ids.register(decoded.name, decoded.id)
      else if (decoded?.type === 'toolResult') ids.remove(decoded.id)
    }
    return { role, parts }
  })
}

/** The texts of `systemInstruction`. */
export const decodeInstructions = (content: Fields | undefined, losses: Losses): readonly TextPart[] => {
  const texts: TextPart[] = []
  for (const part of content?.list('parts') ?? []) {
    const text = part.text('text')
    if (text === undefined) losses.drop('systemInstruction.parts')
    else texts.push({ type: 'text', text })
  }
  return texts
}

const roleOf = (content: Fields): Turn['role'] => {
  const role = content.text('role') ?? 'user'
  if (role === 'model') return 'assistant'
  return role === 'user' || role === 'function' ? 'user' : content.refuse('role', 'must be user or model')
}

/**
 * Ids for calls without one, made from their position: the same conversation gets the same ids, so prompt caches stay
 * valid. A result belongs to the oldest pending call of its name.
 */
class PositionalIds implements CallIds {
  #calls = 0
  /** Calls without a result. */
  readonly #open: { readonly name: string; readonly id: string }[] = []

  idOfCall(_name: string): string {
    return `call_of_place_${++this.#calls}`
  }

  idOfResponse(name: string): string | undefined {
    return this.#open.find((call) => call.name === name)?.id
  }

  register(name: string, id: string): void {
    this.#open.push({ name, id })
  }

  remove(id: string): void {
    const index = this.#open.findIndex((call) => call.id === id)
    if (index >= 0) this.#open.splice(index, 1)
  }
}
