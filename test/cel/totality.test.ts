import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CelError } from '../../src/cel/engine/compile-error.ts'
import { compile, type Expression } from '../../src/cel/compile.ts'
import type { CelContext } from '../../src/cel/context/context.ts'
import { toPlain } from '../../src/cel/values/values.ts'
import { contexts, expression } from './arbitrary.ts'
import { sampleContext } from './sample-context.ts'

const compiled = (text: string): Expression | undefined => {
  try {
    return compile(text)
  } catch (error) {
    if (error instanceof CelError) return undefined
    throw error
  }
}

test('evaluation', async (t) => {
  await t.test('never throws, whatever the expression and the input', () => {
    let accepted = 0
    fc.assert(
      fc.property(expression, contexts, (text, context) => {
        const program = compiled(text)
        if (!program) return
        accepted++
        const outcome = program.evaluate(context)
        if (outcome.error) assert.equal(typeof outcome.error.message, 'string')
        assert.notEqual(outcome.error?.code, 'internal', outcome.error?.message)
        const decision = program.decide(context)
        assert.ok(decision === undefined || typeof decision === 'boolean')
        toPlain(outcome.value)
      }),
      { numRuns: 4_000, seed: 7 },
    )
    assert.ok(accepted > 500, `${accepted} expressions compiled`)
  })

  await t.test('only runs expressions: compile refuses other text', () => {
    const tokens = fc.constantFrom(
      ...['request', '.', 'path', '(', ')', '[', ']', '{', '}', '"', "'", '"a"', '1', '0x', '1e', '\\', '/'],
      ...[
        '==',
        '=',
        '&&',
        '|',
        '!',
        '-',
        ',',
        ':',
        '?',
        ' ',
        '\n',
        'has',
        'default',
        'map',
        'é',
        '\u0000',
        '//',
      ],
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(tokens, { maxLength: 30 }).map((all) => all.join('')),
        ),
        (text) => {
          compiled(text)?.evaluate(sampleContext())
        },
      ),
      { numRuns: 3_000, seed: 7 },
    )
  })

  await t.test('turns an exception of the context into a failure', () => {
    const broken: CelContext = {
      get request(): never {
        throw new Error('broken getter')
      },
    }
    assert.deepEqual(compile('request.path').evaluate(broken).error, {
      code: 'internal',
      message: 'broken getter',
    })
  })

  await t.test('leaves no stack limit set', () => {
    const before = Error.stackTraceLimit
    compile('jwt.sub').evaluate({})
    assert.equal(Error.stackTraceLimit, before)
    assert.ok(before > 0)
  })
})
