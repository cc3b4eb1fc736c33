import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { LlmProviderKind } from '../../../src/model/llm/llm-backend.ts'
import type { JsonObject } from '../../../src/protocols/json/json-object.ts'
import type { OtherFormat } from '../../../src/protocols/llm/format.ts'
import { Losses } from '../../../src/protocols/llm/dropped-fields.ts'
import { translateCall } from '../../../src/protocols/llm/translate-call.ts'

/** A request to a provider and its response. */
export interface GoldenCall {
  readonly kind: LlmProviderKind
  readonly model: string
  readonly client: JsonObject
  readonly provider: JsonObject
  readonly losses: readonly string[]
  readonly answer: JsonObject
  readonly headers: Readonly<Record<string, string>>
  readonly reply: JsonObject
}

/** Checks each file of a folder: both translations, and that all losses are reported. */
export const checkGoldenCalls = (folder: URL, format: OtherFormat): void => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  assert.ok(files.length > 0)
  for (const file of files)
    test(`${format}, as in golden/${file}`, () => {
      const golden = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as GoldenCall
      const settings = { hostOverridden: false, region: 'eu-central-1' }
      const losses = new Losses()
      const translate = translateCall(golden.kind, settings, format, golden.model)
      assert.ok(translate)
      const asked = JSON.stringify(golden.client)
      const { body, reply } = translate(golden.client, golden.model, losses)
      assert.deepEqual(body, golden.provider)
      assert.deepEqual(losses.fields, golden.losses)
      const headers = { get: (name: string) => golden.headers[name] }
      assert.deepEqual(reply(golden.answer, headers), golden.reply)
      assert.equal(JSON.stringify(golden.client), asked, 'the request must stay as it is')
    })
}
