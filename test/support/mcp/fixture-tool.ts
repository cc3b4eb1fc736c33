import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import type { FixtureRequest } from './fixture-request.ts'

/** A tool of the fixture: its list entry, and its function. */
export interface FixtureTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly run: (request: FixtureRequest) => Promise<JsonObject> | JsonObject
}

/** @returns A tool without arguments, or with those of a schema. */
export const tool = (
  name: string,
  description: string,
  run: FixtureTool['run'],
  inputSchema: JsonObject = { type: 'object', properties: {} },
): FixtureTool => ({ name, description, inputSchema, run })

/** @returns A result of one text. */
export const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] })
