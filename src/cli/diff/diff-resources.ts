import type { Origin } from '../../model/resources/origin.ts'
import { isJsonObject } from '../../protocols/json/json-object.ts'
import type { ComparedResource } from './resource-list.ts'

/** A difference between two configurations. */
export interface ResourceChange {
  readonly change: 'added' | 'removed' | 'changed'
  readonly kind: ComparedResource['kind']
  readonly name: string
  /** The fields that differ, of a changed one. */
  readonly fields: readonly string[]
  readonly before: unknown
  readonly after: unknown
  /** Where it is written in each of the files. */
  readonly a: Origin | undefined
  readonly b: Origin | undefined
}

/** The differences, in the order of the second configuration; what was removed comes last. */
export const diffResources = (
  before: readonly ComparedResource[],
  after: readonly ComparedResource[],
): readonly ResourceChange[] => {
  const old = new Map(before.map((one) => [keyOf(one), one]))
  const changes = after.flatMap((now): ResourceChange[] => {
    const was = old.get(keyOf(now))
    old.delete(keyOf(now))
    if (was?.identity === now.identity) return []
    if (isNoise(was, now)) return []
    return [changeOf(was, now)]
  })
  const removed = [...old.values()].filter(
    ({ kind, name }) => !(kind === 'setting' && name.startsWith('order ')),
  )
  return [...changes, ...removed.map((was) => changeOf(was, undefined))]
}

const keyOf = ({ kind, name }: ComparedResource): string => `${kind} ${name}`

const changeOf = (was: ComparedResource | undefined, now: ComparedResource | undefined): ResourceChange => {
  const { kind, name } = now ?? was ?? { kind: 'setting', name: '' }
  return {
    change: was === undefined ? 'added' : now === undefined ? 'removed' : 'changed',
    kind,
    name,
    fields: was && now ? differingFields(was.value, now.value) : [],
    before: was?.value,
    after: now?.value,
    a: was?.origin,
    b: now?.origin,
  }
}

/** Routes that come or go change the list of routes too; their order has changed only if that of the others has. */
const isNoise = (was: ComparedResource | undefined, now: ComparedResource): boolean => {
  if (now.kind !== 'setting' || !now.name.startsWith('order ')) return false
  if (!was) return true
  const [a, b] = [was.value, now.value].map((list) =>
    Array.isArray(list) ? (list as readonly string[]) : [],
  )
  const common = (list: readonly string[] = [], other: readonly string[] = []): string =>
    list.filter((name) => other.includes(name)).join()
  return common(a, b) === common(b, a)
}

const differingFields = (a: unknown, b: unknown): readonly string[] => {
  if (!isJsonObject(a) || !isJsonObject(b)) return []
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]))
}
