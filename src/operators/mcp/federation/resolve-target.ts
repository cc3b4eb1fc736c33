import { firstValueFrom } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { McpObjectAttributes } from '../../../model/mcp/mcp-attributes.ts'
import type { JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import type { Subject } from '../../../protocols/mcp/methods.ts'
import type { Names } from '../../../protocols/mcp/target-prefixes.ts'
import { isShortened } from '../../../protocols/mcp/tool-name-limit.ts'
import type { Access } from '../sessions/server-access.ts'
import type { ResolvedItem } from './client-request.ts'
import type { TargetLookup } from './target-lookup.ts'

/**
 * Resolves a client-visible name to its target and the target's own name, for policies that run before the backend.
 * Undefined: unknown name. Without target: only listing every server would resolve it, or servers have names in common.
 */
export type ResolveTarget = (
  x: Exchange,
  request: JsonRpcRequest,
  subject: Subject,
) => McpObjectAttributes | undefined | Promise<McpObjectAttributes | undefined>

/**
 * Uses the name alone. Only for an unknown shortened name it lists all servers, as the call itself would: rules about a
 * name must not depend on an earlier listing.
 */
export const resolveByName =
  (names: Names, lookup: TargetLookup, access: Access): ResolveTarget =>
  (x, { method, params }, subject) => {
    const { kind, name } = subject
    if (!lookup.byName) {
      const own = kind === 'task' ? names.splitTask(name) : undefined
      if (kind === 'task') return own && { target: own.target, name: own.id }
      return { name }
    }
    const resolved = lookup.byName(subject)
    if (resolved || !isShortened(name)) return attributesOf(resolved)
    const onMessage = (): void => undefined
    return firstValueFrom(lookup.find({ x, method, params, access, onMessage }, subject)).then(attributesOf)
  }

/**
 * Combines the resolvers of several backends, one of which will get the request: the result that all agree on that have
 * the name; the others would refuse it.
 */
export const resolveAny = (all: readonly ResolveTarget[]): ResolveTarget => {
  const [only] = all
  if (only && all.length === 1) return only
  return async (x, request, subject) => {
    const found = await Promise.all(all.map(async (resolve) => resolve(x, request, subject)))
    const [first, ...rest] = found.filter((one) => one !== undefined)
    if (!first) return undefined
    if (rest.some(({ name }) => name !== first.name)) return undefined
    return rest.every(({ target }) => target === first.target) ? first : { name: first.name }
  }
}

const attributesOf = (resolved: ResolvedItem | undefined): McpObjectAttributes | undefined =>
  resolved && { target: resolved.target.name, name: resolved.name }
