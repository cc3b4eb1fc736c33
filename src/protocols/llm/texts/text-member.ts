import type { TextScope } from '../../../operators/llm/guardrails/schema/normal-form.ts'
import type { JsonObject } from '../../json/json-object.ts'
import type { TextLine, TextSlot } from './text-slot.ts'
import type { TextRole } from './roles.ts'

/** A member that repeats a text token by token, and is removed when the text changes. */
export interface RepeatedText {
  readonly holder: JsonObject
  readonly key: string
  readonly outer: RepeatedText | undefined
}

/** Optional attributes of a text. */
export interface MoreOfText {
  readonly echo?: RepeatedText | undefined
  readonly line?: TextLine | undefined
  readonly isOther?: boolean
}

/** A text that is a member of an object, or an item of a list. */
export class TextMember implements TextSlot {
  readonly role: string
  readonly scope: TextScope
  readonly text: string
  /** Its path below the root of the search: names separated by slashes. */
  readonly path: string
  /** The member is unknown. */
  readonly isOther: boolean
  readonly line: TextLine | undefined
  readonly #holder: JsonObject
  readonly #key: string
  readonly #echo: RepeatedText | undefined

  constructor(holder: JsonObject, key: string, textRole: TextRole, path: string, more: MoreOfText = {}) {
    this.role = textRole.role
    this.scope = textRole.scope
    this.text = this.read(holder[key] as string)
    this.path = path
    this.isOther = more.isOther === true
    this.line = more.line
    this.#holder = holder
    this.#key = key
    this.#echo = more.echo
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
