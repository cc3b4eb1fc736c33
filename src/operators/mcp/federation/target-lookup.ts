import { forkJoin, map, mergeMap, type Observable, of, throwError } from 'rxjs'
import { ambiguousItem } from '../../../protocols/mcp/errors.ts'
import { type ListShape, listMethodOf, type Subject } from '../../../protocols/mcp/methods.ts'
import type { Names, OwnName } from '../../../protocols/mcp/target-prefixes.ts'
import { fitsTemplate } from '../../../protocols/mcp/uri-template.ts'
import { isShortened } from '../../../protocols/mcp/tool-name-limit.ts'
import { type FailureMode, fanOut, type TargetResult } from './fan-out.ts'
import { wholeList } from './merged-lists.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'
import type { McpClientRequest, ResolvedItem } from './client-request.ts'
import type { Target } from '../servers/target.ts'

/** Finds the server of an item that a client names. */
export interface TargetLookup {
  /** Emits once; undefined if no server has it. */
  find(request: McpClientRequest, subject: Subject): Observable<ResolvedItem | undefined>
  /** Uses the name alone. */
  byName?(subject: Subject): ResolvedItem | undefined
}

/** The prefix of the name identifies the server. A shortened name is known once its list was fetched. */
export const lookupByName = (
  targets: readonly Target[],
  names: Names,
  failureMode: FailureMode,
): TargetLookup => {
  const byName = new Map(targets.map((target) => [target.name, target]))
  const split = ({ kind, name }: Subject): ResolvedItem | undefined => {
    const parts = splitters[kind](names, name)
    const target = parts && byName.get(parts.target)
    return target && { target, name: parts.name }
  }
  return {
    byName: split,
    find: (request, subject) => {
      const known = split(subject)
      if (known || !isShortened(subject.name)) return of(known)
      return listAll(request, subject, targets, failureMode).pipe(
        map((shares) => {
          // Making the client's names registers the shortened ones.
          for (const { target, value } of shares) for (const name of value) names.tool(target.name, name)
          return split(subject)
        }),
      )
    },
  }
}

/** Names without prefixes: the server that lists a name has it, unless several do. */
export const lookupByList = (
  targets: readonly Target[],
  names: Names,
  failureMode: FailureMode,
): TargetLookup => {
  // Ids of tasks are opaque to clients and carry their server.
  const byId = lookupByName(targets, names, failureMode)
  const find: TargetLookup['find'] = (request, subject) =>
    listAll(request, subject, targets, failureMode).pipe(
      mergeMap((shares) => {
        const listing = shares.filter(({ value }) => value.includes(subject.name))
        const having = (listing.length > 0 ? listing : shares.filter(offers(subject))).map(
          ({ target }) => target,
        )
        const [target] = having
        if (having.length > 1)
          return throwError(() => new McpRefusal('mcp_ambiguous_name', ambiguousItem(subject)))
        return of(target && { target, name: subject.name })
      }),
    )
  return {
    find: (request, subject) =>
      subject.kind === 'task' ? byId.find(request, subject) : find(request, subject),
  }
}

/** An unlisted resource may match a listed template. */
const offers =
  ({ kind, name }: Subject) =>
  ({ value }: TargetResult<readonly string[]>): boolean =>
    kind === 'resource' && value.some((template) => fitsTemplate(template, name))

/** Names that each server lists of a kind. */
const listAll = (
  request: McpClientRequest,
  { kind }: Subject,
  targets: readonly Target[],
  failureMode: FailureMode,
) =>
  fanOut(
    targets,
    // A server that is left out might have the name as well.
    { failureMode },
    (target) =>
      forkJoin(
        listsOf[kind].map((method) => {
          const list = listMethodOf(method) as ListShape
          return wholeList(request, target, list, method).pipe(
            map(({ items }) => items.map((item) => String(item[list.name]))),
          )
        }),
      ).pipe(map((lists) => lists.flat())),
    request.x,
  )

const listsOf: Record<Subject['kind'], readonly string[]> = {
  tool: ['tools/list'],
  prompt: ['prompts/list'],
  resource: ['resources/list', 'resources/templates/list'],
  task: ['tasks/list'],
}

const splitters: Record<Subject['kind'], (names: Names, name: string) => OwnName | undefined> = {
  tool: (names, name) => names.splitTool(name),
  prompt: (names, name) => names.splitTool(name),
  resource: (names, uri) => {
    const own = names.splitResource(uri)
    return own && { target: own.target, name: own.uri }
  },
  task: (names, id) => {
    const own = names.splitTask(id)
    return own && { target: own.target, name: own.id }
  },
}
