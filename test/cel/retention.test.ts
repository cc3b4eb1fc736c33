import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compile } from '../../src/cel/compile.ts'
import { sampleContext } from './sample-context.ts'

test('an expression retains nothing of the last exchange', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const texts = [
    'request.headers["x-team"] == "blue"',
    '[1, 2].exists(x, x == size(request.body))',
    'json(request.body).with(b, b.model)',
    'cel.bind(r, request, r.path)',
    'default(request.headers["nope"], request.path)',
    'jwt.nope',
  ]
  const expressions = texts.map((text) => compile(text))
  const contexts = expressions.map((one) => {
    const context = sampleContext()
    one.evaluate(context)
    return new WeakRef(context)
  })
  // Weak references are strong until the end of the turn in which they were made.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  assert.deepEqual(contexts.map((reference, i) => reference.deref() && texts[i]).filter(Boolean), [])
  assert.equal(expressions.length, texts.length)
})
