import { jsonBegin, readableJson, writtenJson } from './json-escapes.ts'
import { TextMember } from './text-member.ts'

/** A text that is JSON itself, such as tool arguments: shown without its escapes. */
export class JsonText extends TextMember {
  protected override read(value: string): string {
    return readableJson(value, jsonBegin).text
  }

  protected override written(text: string): string {
    return writtenJson(text, false)
  }
}

/** Whether a text begins like a JSON object or array. */
export const beginsAsJson = (text: string): boolean => /^\s*[[{]/.test(text)

/** Whether a text is a JSON object or array. */
export const isJson = (text: string): boolean => {
  if (!beginsAsJson(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
