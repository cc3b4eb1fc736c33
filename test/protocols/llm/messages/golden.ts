import { readdirSync, readFileSync } from 'node:fs'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'

/** A transcript of a body, and its decoded form. */
export interface Golden {
  readonly name: string
  readonly wire: JsonObject
  readonly common: JsonObject
  readonly losses: readonly string[]
  readonly written?: JsonObject
  readonly writtenLosses?: readonly string[]
  readonly readOnly?: string
}

/** A transcript of a stream, and its decoded form. */
export interface GoldenStream {
  readonly name: string
  readonly text: string
  readonly events: readonly ChatEvent[]
  readonly losses: readonly string[]
  readonly written?: readonly JsonObject[]
  readonly readOnly?: string
}

export const goldens = (kind: 'requests' | 'replies'): Golden[] =>
  namesIn(kind).map((name) => ({ name, ...(parsed(`${kind}/${name}.json`) as Omit<Golden, 'name'>) }))

export const goldenStreams = (): GoldenStream[] =>
  namesIn('streams').map((name) => ({
    name,
    text: read(`streams/${name}.sse`),
    ...(parsed(`streams/${name}.json`) as Omit<GoldenStream, 'name' | 'text'>),
  }))

/** A value after a round trip through JSON: without members that are undefined. */
export const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const namesIn = (kind: string): string[] =>
  readdirSync(new URL(kind, root))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))

const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const parsed = (path: string): unknown => JSON.parse(read(path))

const root = new URL('golden/', import.meta.url)
