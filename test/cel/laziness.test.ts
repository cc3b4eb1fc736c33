import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../src/cel/compile.ts'
import type { CelContext } from '../../src/cel/context/context.ts'
import { sampleContext, sampleRequest } from './sample-context.ts'

/** The context, and the names of the members that were read, in order. */
const watched = (): { context: CelContext; reads: string[] } => {
  const reads: string[] = []
  const watch = <T extends object>(target: T, path: string): T =>
    new Proxy(target, {
      get(on, key, receiver) {
        const name = path + String(key)
        reads.push(name)
        const value: unknown = Reflect.get(on, key, receiver)
        return name === 'request' ? watch(value as object, 'request.') : value
      },
    })
  return { context: watch(sampleContext(), ''), reads }
}

const readsOf = (text: string): string[] => {
  const { context, reads } = watched()
  compile(text).evaluate(context)
  return reads
}

test('an evaluation', async (t) => {
  await t.test('reads only the members that it names', () => {
    assert.deepEqual(readsOf('1 + 1'), [])
    assert.deepEqual(readsOf('request.path'), ['request', 'request.path'])
    assert.deepEqual(readsOf('jwt.sub'), ['jwt'])
  })

  await t.test('stops reading once the result is known', () => {
    assert.deepEqual(readsOf('jwt.sub == "nobody" && size(request.body) > 1'), ['jwt'])
    assert.deepEqual(readsOf('default(jwt.sub, request.path)'), ['jwt'])
    assert.deepEqual(readsOf('true ? jwt.sub : request.path'), ['jwt'])
  })

  await t.test('looks up a header without listing all headers', () => {
    const asked: string[] = []
    const headers = {
      all: (name: string) => (asked.push(name), ['blue']),
      entries: () => assert.fail('listed all headers'),
    }
    const { value } = compile('request.headers["X-Team"] == "blue"').evaluate({
      request: sampleRequest({ headers }),
    })
    assert.deepEqual([value, asked], [true, ['x-team']])
  })

  await t.test('parses a body once for all expressions of an exchange', () => {
    const context = sampleContext()
    const first = compile('json(request.body)').evaluate(context).value
    assert.equal(compile('json(request.body)').evaluate(context).value, first)
  })

  await t.test('sees metadata that was added since the last evaluation', () => {
    const metadata: Record<string, unknown> = { a: 1 }
    const expression = compile('size(metadata)')
    assert.equal(expression.evaluate({ metadata }).value, 1n)
    metadata.b = 2
    assert.equal(expression.evaluate({ metadata }).value, 2n)
  })
})

test('a body that was not buffered', async (t) => {
  const context = { request: sampleRequest({ body: undefined }) }
  const codeOf = (text: string) => compile(text).evaluate(context).error?.code

  await t.test('is a failure with that reason', () => {
    assert.deepEqual(compile('size(request.body)').evaluate(context).error, {
      code: 'body_unavailable',
      message: 'request.body was not buffered',
    })
  })

  await t.test('is not treated as absent', () => {
    assert.equal(codeOf('has(request.body)'), 'body_unavailable')
    assert.equal(codeOf('default(request.body, b"")'), 'body_unavailable')
    assert.equal(codeOf('default(json(request.body).a, 1)'), 'body_unavailable')
  })

  await t.test('does not hide other fields', () => {
    assert.match(compile('toJson(request)').evaluate(context).value as string, /"path":"\/v1\/chat"/)
  })

  await t.test('may be present in part', () => {
    const partial = { request: sampleRequest({ body: undefined, bodyPrefix: Buffer.from('abc') }) }
    assert.equal(compile('string(request.bodyPrefix)').evaluate(partial).value, 'abc')
    assert.equal(
      compile('string(request.bodyPrefix)').evaluate({ request: sampleRequest({ body: Buffer.from('x') }) })
        .value,
      'x',
    )
  })
})
