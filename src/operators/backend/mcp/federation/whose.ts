import { firstValueFrom } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import type { McpObjectFacts } from '../../../../model/mcp-facts.ts'
import type { Request } from '../../../../protocols/json-rpc/message.ts'
import type { Subject } from '../../../../protocols/mcp/methods.ts'
import type { Names } from '../../../../protocols/mcp/names.ts'
import { isShortened } from '../../../../protocols/mcp/short-name.ts'
import type { Access } from '../sessions/access.ts'
import type { Owned, Owners } from './owners.ts'

/**
 * Tells whose something is, and how it is called there, before the request is let in. Undefined if nobody has such a
 * name; without a target where only asking every server would tell, or where servers have names in common.
 */
export type Whose = (
  x: Exchange,
  request: Request,
  subject: Subject,
) => McpObjectFacts | undefined | Promise<McpObjectFacts | undefined>

/**
 * Goes by the names alone. Only a shortened one that is not known by heart makes it ask the servers for their lists, as
 * the call itself would: rules about a name must not depend on whether somebody has listed it lately.
 */
export const whoseByName =
  (names: Names, owners: Owners, access: Access): Whose =>
  (x, { method, params }, subject) => {
    const { kind, name } = subject
    if (!owners.byName) {
      const own = kind === 'task' ? names.splitTask(name) : undefined
      if (kind === 'task') return own && { target: own.target, name: own.id }
      return { name }
    }
    const owned = owners.byName(subject)
    if (owned || !isShortened(name)) return factsOf(owned)
    const said = (): void => undefined
    return firstValueFrom(owners.find({ x, method, params, access, said }, subject)).then(factsOf)
  }

/**
 * What several backends say together, of which one will get the request: as much as they agree about. Of those who have
 * the name, that is; the others would refuse it.
 */
export const whoseOfAny = (all: readonly Whose[]): Whose => {
  const [only] = all
  if (only && all.length === 1) return only
  return async (x, request, subject) => {
    const found = await Promise.all(all.map(async (whose) => whose(x, request, subject)))
    const [first, ...rest] = found.filter((one) => one !== undefined)
    if (!first) return undefined
    if (rest.some(({ name }) => name !== first.name)) return undefined
    return rest.every(({ target }) => target === first.target) ? first : { name: first.name }
  }
}

const factsOf = (owned: Owned | undefined): McpObjectFacts | undefined =>
  owned && { target: owned.target.name, name: owned.name }
