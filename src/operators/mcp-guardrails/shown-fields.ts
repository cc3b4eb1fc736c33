import type { McpProcessor } from '../../model/mcp-guardrails.ts'
import type { Request } from '../../model/request.ts'

/** A field as a processor gets it: a character is a byte. */
export interface ShownField {
  readonly key: string
  readonly value: Uint8Array
}

/** What of a request's head a processor sees: what frames it stands before the rest, under names with a colon. */
export const shownFields = ({
  allowed,
  disallowed,
}: McpProcessor['requestHeaders']): ((request: Request) => ShownField[]) => {
  const yes = new Set(allowed)
  const no = new Set(disallowed)
  const isShown = (name: string): boolean => !no.has(name) && (yes.size === 0 || yes.has(name))
  return ({ method, scheme, authority, target, headers }) => {
    const list: ShownField[] = []
    const show = (key: string, value: string): void => {
      if (isShown(key)) list.push({ key, value: Buffer.from(value, 'latin1') })
    }
    show(':method', method)
    show(':scheme', scheme)
    show(':authority', authority)
    show(':path', target)
    for (const [name, value] of headers.entries()) show(name, value)
    return list
  }
}
