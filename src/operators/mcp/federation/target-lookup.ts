import { forkJoin, map, mergeMap, type Observable, of, throwError } from 'rxjs'
import { ambiguousItem } from '../../../../protocols/mcp/errors.ts'
import { type ListShape, listOf, type Subject } from '../../../../protocols/mcp/methods.ts'
import type { Names, OwnName } from '../../../../protocols/mcp/names.ts'
import { fitsTemplate } from '../../../../protocols/mcp/uri-template.ts'
import { isShortened } from '../../../../protocols/mcp/short-name.ts'
import { type FailureMode, fanOut, type Share } from './fan-out.ts'
import { wholeList } from './lists.ts'
import { McpRefusal } from '../answer/mcp-refusal.ts'
import type { Question } from './question.ts'
import type { Target } from '../servers/target.ts'

/** Which server has something, and what it is called there. */
export interface Owned {
  readonly target: Target
  readonly name: string
}

/** Finds the server of what a client names. */
export interface Owners {
  /** Emits once; undefined if no server has it. */
  find(question: Question, subject: Subject): Observable<Owned | undefined>
  /** As far as the name alone tells. */
  byName?(subject: Subject): Owned | undefined
}

/** The server is told by the name itself. A shortened name is known once its list has been asked for. */
export const ownersByName = (targets: readonly Target[], names: Names, failureMode: FailureMode): Owners => {
  const byName = new Map(targets.map((target) => [target.name, target]))
  const split = ({ kind, name }: Subject): Owned | undefined => {
    const parts = splitters[kind](names, name)
    const target = parts && byName.get(parts.target)
    return target && { target, name: parts.name }
  }
  return {
    byName: split,
    find: (question, subject) => {
      const known = split(subject)
      if (known || !isShortened(subject.name)) return of(known)
      return askAll(question, subject, targets, failureMode).pipe(
        map((shares) => {
          // Naming them is what makes their shortened names known.
          for (const { target, value } of shares) for (const name of value) names.tool(target.name, name)
          return split(subject)
        }),
      )
    },
  }
}

/** Names are as the servers have them: whoever lists one has it, unless several do. */
export const ownersByList = (targets: readonly Target[], names: Names, failureMode: FailureMode): Owners => {
  // Ids of tasks are read by nobody but the gateway, and say whose they are.
  const byId = ownersByName(targets, names, failureMode)
  const find: Owners['find'] = (question, subject) =>
    askAll(question, subject, targets, failureMode).pipe(
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
    find: (question, subject) =>
      subject.kind === 'task' ? byId.find(question, subject) : find(question, subject),
  }
}

/** What no list shows may be of a kind that one shows: resources of a template. */
const offers =
  ({ kind, name }: Subject) =>
  ({ value }: Share<readonly string[]>): boolean =>
    kind === 'resource' && value.some((template) => fitsTemplate(template, name))

/** What each server lists of a kind. */
const askAll = (
  question: Question,
  { kind }: Subject,
  targets: readonly Target[],
  failureMode: FailureMode,
) =>
  fanOut(
    targets,
    // A server that is left out might be another owner.
    { failureMode },
    (target) =>
      forkJoin(
        listsOf[kind].map((method) => {
          const list = listOf(method) as ListShape
          return wholeList(question, target, list, method).pipe(
            map(({ items }) => items.map((item) => String(item[list.name]))),
          )
        }),
      ).pipe(map((lists) => lists.flat())),
    question.x,
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
