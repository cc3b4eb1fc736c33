import { catchError, EMPTY, expand, map, type Observable, reduce, throwError } from 'rxjs'
import { ApiFailure, asApiFailure } from '../api/api-failure.ts'
import { type Kind, type Kinds } from '../kinds/kinds.ts'
import { objectKey } from '../kinds/object.ts'
import { collectionRequest, type Observation, type ReflectorOptions } from './reflector-source.ts'
import { readWatchedObject, resourceVersionOf } from './watched-object.ts'

/**
 * Lists the objects of a kind, in pages, and emits them at once. All pages show the moment of the first, and so does
 * the `resourceVersion` to watch from.
 */
export const listObjects = <K extends Kind>(kind: K, options: ReflectorOptions): Observable<Observation<K>> =>
  listInPages(kind, options, options.pageSize ?? PAGE_SIZE)

const listInPages = <K extends Kind>(
  kind: K,
  options: ReflectorOptions,
  limit: number,
): Observable<Observation<K>> => {
  const page = (next?: string) => options.client.request(pageRequest(kind, limit, next)).pipe(map(readPage))
  return page().pipe(
    expand(({ next }) => (next === undefined ? EMPTY : page(next))),
    reduce(
      (objects, { items, version }) => {
        for (const item of items) {
          const object = readWatchedObject(kind, item)
          objects.all.set(objectKey(object), object)
        }
        return { all: objects.all, version: objects.version ?? version }
      },
      { all: new Map<string, Kinds[K]>(), version: undefined as string | undefined },
    ),
    map(({ all, version }) => ({ type: 'listed' as const, objects: all, position: version })),
    catchError((error: unknown) => {
      const failure = asApiFailure(error)
      // A page of the largest objects is larger than what is read at once.
      if (failure.reason === 'TooLarge' && limit > 1) return listInPages(kind, options, Math.ceil(limit / 10))
      return throwError(() => failure)
    }),
  )
}

const pageRequest = (kind: Kind, limit: number, next: string | undefined) => {
  const { query, ...request } = collectionRequest(kind, 'list')
  return { ...request, method: 'GET' as const, query: { ...query, limit, continue: next }, timeoutMs: 60_000 }
}

const readPage = (body: unknown): Page => {
  const { items, metadata } = body as {
    readonly items?: unknown
    readonly metadata?: { readonly continue?: unknown }
  }
  if (items !== null && !Array.isArray(items))
    throw new ApiFailure(0, 'Malformed', 'the API server sent a list without items')
  const next = metadata?.continue
  return {
    items: items ?? [],
    version: resourceVersionOf(body),
    next: typeof next === 'string' && next !== '' ? next : undefined,
  }
}

interface Page {
  readonly items: readonly unknown[]
  readonly version: string
  readonly next: string | undefined
}

const PAGE_SIZE = 500
