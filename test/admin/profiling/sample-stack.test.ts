import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sampleStack } from '../../../src/admin/profiling/sample-stack.ts'

const outer = (): string => inner()
const inner = (): string => sampleStack()

suite('a sample of the stack', () => {
  test('has function, script, line, column and first line of each frame, innermost first', () => {
    const [first = '', second = ''] = outer().split('\n')
    assert.match(first, /^inner\tfile:.*\/sample-stack\.test\.ts\t6\t\d+\t6$/)
    assert.match(second, /^outer\tfile:.*\/sample-stack\.test\.ts\t5\t\d+\t5$/)
  })

  test('works from its source text alone, as it runs on the profiled thread', () => {
    const alone = (0, eval)(`(${String(sampleStack)})`) as () => string
    const here = (): string => alone()
    assert.match(here(), /^here\tfile:/)
  })

  test('leaves the settings of stack traces as they are', () => {
    const { stackTraceLimit } = Error
    const prepared = () => Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace')
    const prepare = () => 'prepared'
    const before = prepared()?.value as typeof Error.prepareStackTrace
    try {
      Error.stackTraceLimit = 3
      Error.prepareStackTrace = prepare
      assert.match(sampleStack(), /sample-stack\.test\.ts/)
      assert.equal(prepared()?.value, prepare)
      assert.equal(Error.stackTraceLimit, 3)
    } finally {
      Error.prepareStackTrace = before
      Error.stackTraceLimit = stackTraceLimit
    }
  })
})
