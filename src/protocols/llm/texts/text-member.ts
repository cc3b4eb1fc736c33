import type { TextScope } from '../../../model/llm-guards.ts'
import type { JsonObject } from '../../json/json-object.ts'
import type { TextSlot } from './text-slot.ts'
import type { Voice } from './voices.ts'

/** What repeats a text word by word, and has to go when the text is another. */
export interface Echo {
  readonly holder: JsonObject
  readonly key: string
  readonly outer: Echo | undefined
}

/** A text that is a member of an object, or an item of a list. */
export class MemberText implements TextSlot {
  readonly role: string
  readonly scope: TextScope
  readonly text: string
  /** Where it was found, below the place where the search began: names with slashes in between. */
  readonly path: string
  readonly #holder: JsonObject
  readonly #key: string
  readonly #echo: Echo | undefined

  constructor(holder: JsonObject, key: string, voice: Voice, path: string, echo?: Echo) {
    this.role = voice.role
    this.scope = voice.scope
    this.text = this.read(holder[key] as string)
    this.path = path
    this.#holder = holder
    this.#key = key
    this.#echo = echo
  }

  set(text: string): void {
    this.#holder[this.#key] = this.written(text, this.#holder[this.#key] as string)
    for (let echo = this.#echo; echo; echo = echo.outer)
      echo.holder[echo.key] = Array.isArray(echo.holder[echo.key]) ? [] : null
  }

  protected read(value: string): string {
    return value
  }

  protected written(text: string, _before: string): string {
    return text
  }
}
