import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { modelInPath } from '../../../../src/protocols/llm/models/model-in-path.ts'

const google = '/v1/projects/p/locations/l/publishers/google/models/'

/** Path, model, whether it streams, and the path for the model `a/b:1`. */
const named: readonly (readonly [string, string, boolean, string])[] = [
  ['/v1beta/models/gemini-x:generateContent', 'gemini-x', false, '/v1beta/models/a%2Fb:1:generateContent'],
  ['/models/gemini-x:streamGenerateContent', 'gemini-x', true, '/models/a%2Fb:1:streamGenerateContent'],
  ['/v1beta/models/gemini-x:countTokens', 'gemini-x', false, '/v1beta/models/a%2Fb:1:countTokens'],
  ['/v1beta/models/meta/llama:embedContent', 'meta/llama', false, '/v1beta/models/a%2Fb:1:embedContent'],
  ['/v1beta/models/x:batchEmbedContents', 'x', false, '/v1beta/models/a%2Fb:1:batchEmbedContents'],
  [`${google}gemini-x:predict`, 'gemini-x', false, `${google}a%2Fb:1:predict`],
  [`${google}claude-x@2024:rawPredict`, 'claude-x@2024', false, `${google}a%2Fb:1:rawPredict`],
  [`${google}claude%40x:streamRawPredict`, 'claude@x', true, `${google}a%2Fb:1:streamRawPredict`],
  ['/model/anthropic.claude-v1:0/invoke', 'anthropic.claude-v1:0', false, '/model/a%2Fb:1/invoke'],
  ['/model/x%3A0/invoke-with-response-stream', 'x:0', true, '/model/a%2Fb:1/invoke-with-response-stream'],
  ['/pre/model/arn%2Fx%25/converse', 'arn/x%', false, '/pre/model/a%2Fb:1/converse'],
  ['/model/gr%C3%B6%C3%9Fer/converse-stream', 'größer', true, '/model/a%2Fb:1/converse-stream'],
  ['/model/x/count-tokens', 'x', false, '/model/a%2Fb:1/count-tokens'],
]

test('a model is found in a path, and replaced', async (t) => {
  for (const [path, model, streaming, other] of named)
    await t.test(path, () => {
      const found = modelInPath(path)
      assert.deepEqual([found?.model, found?.streaming, found?.withModel('a/b:1')], [model, streaming, other])
    })
})

test('no model is found', async (t) => {
  for (const path of [
    '/v1/chat/completions',
    '/v1/models',
    '/v1/models/llama3:8b',
    '/v1/models/llama3:latest',
    '/v1beta/models/:generateContent',
    `${google}count-tokens:rawPredict`,
    '/model/converse',
    '/model//converse',
    '/model/a/b/converse',
    '/models/a/converse',
    '/model/%FF/converse',
    '/models/%C3:generateContent',
    ':generateContent',
    '',
  ])
    await t.test(`in ${path}`, () => {
      assert.equal(modelInPath(path), undefined)
    })
})

test('a model name never changes the path', async (t) => {
  await t.test('as a dot segment', () => {
    const path = modelInPath('/model/x/converse')
    assert.deepEqual(
      ['.', '..', '...'].map((name) => path?.withModel(name)),
      ['/model/%252E/converse', '/model/%252E%252E/converse', '/model/.../converse'],
    )
  })

  await t.test('by special characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }).filter((name) => !/^\.{1,2}$/.test(name)),
        fc.constantFrom('/model/x/converse', '/v1beta/models/x:generateContent'),
        (name, path) => {
          const other = modelInPath(path)?.withModel(name) ?? ''
          assert.match(other, /^\/(?:model|v1beta\/models)\/[\w%.~!*'():@-]+(?:\/converse|:generateContent)$/)
          assert.equal(modelInPath(other)?.model, name.toWellFormed())
        },
      ),
    )
  })
})
