import type { Origin } from '../../model/resources/origin.ts'
import type { RequestChange } from './diff-requests.ts'
import type { ResourceChange } from './diff-resources.ts'

/** The differences of two configurations. */
export interface ConfigurationDiff {
  /** The files. */
  readonly a: string
  readonly b: string
  readonly resources: readonly ResourceChange[]
  readonly requests: readonly RequestChange[]
  /** The number of recorded requests; undefined if none were given. */
  readonly recorded: number | undefined
}

/** The differences for people: `+`, `-` or `~`, then what and where. */
export const printDiff = ({ a, b, resources, requests, recorded }: ConfigurationDiff): string => {
  const lines = [
    ...(resources.length === 0
      ? ['The resources are equal.']
      : resources.flatMap((one) => resourceLines(one, a, b))),
    ...(recorded === undefined ? [] : ['', ...requests.flatMap(requestLines), summary(requests, recorded)]),
  ]
  return `${lines.join('\n')}\n`
}

const signs = { added: '+', removed: '-', changed: '~' } as const

const resourceLines = (one: ResourceChange, a: string, b: string): readonly string[] => {
  const { change, kind, name, fields, before, after } = one
  const locations = [one.a && locationText(a, one.a), one.b && locationText(b, one.b)].filter(
    (text) => text !== undefined,
  )
  const head = `${signs[change]} ${kind} ${name}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`
  const from = locations.length === 0 ? '' : `   ${locations.join(' → ')}`
  if (change !== 'changed') return [`${head}${from}`]
  const part = (value: unknown): unknown =>
    fields.length === 0 ? value : Object.fromEntries(fields.map((name) => [name, fieldOf(value, name)]))
  return [`${head}${from}`, `    - ${shortened(part(before))}`, `    + ${shortened(part(after))}`]
}

const locationText = (file: string, { line, path }: Origin): string => `${file}:${String(line)} ${path}`

const requestLines = ({ method, url, count, changes }: RequestChange): readonly string[] => [
  `${method} ${url}${count > 1 ? ` (${String(count)} times)` : ''}`,
  ...changes.flatMap(({ part, before, after }) => [
    `  ${part}`,
    ...before.map((text) => `    - ${text}`),
    ...after.map((text) => `    + ${text}`),
  ]),
]

const summary = (requests: readonly RequestChange[], recorded: number): string => {
  const changed = requests.reduce((sum, { count }) => sum + count, 0)
  return `${String(changed)} of ${String(recorded)} recorded requests would take another way.`
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const shortened = (value: unknown): string => {
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) return 'nothing'
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** `-o json` has all of a value. */
const LONGEST = 200
