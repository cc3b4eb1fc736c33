import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respondsOnce, callForResult, faultOf, StdioTestContext } from '../../../support/mcp/stdio-fixture.ts'

test('the limit of child processes', async (t) => {
  await t.test('allows a number of processes per target, and one more when one has ended', async () => {
    await using endpointAddress = new StdioTestContext({ children: { perTarget: 2, inAll: 10 } })
    const [first] = [endpointAddress.transport(respondsOnce), endpointAddress.transport(respondsOnce)].map(
      (transport) => {
        return { wire: transport, answer: callForResult(transport, 'initialize') }
      },
    )
    const fault = await faultOf(callForResult(endpointAddress.transport(respondsOnce), 'initialize'))
    assert.equal(fault.code, 'mcp_too_many_children')
    assert.equal(fault.status, 503)
    assert.equal(fault.message, 'mcp: target files is at the limit of 2 running server processes')
    await callForResult(endpointAddress.transport(respondsOnce, 'other'), 'initialize')
    assert.deepEqual(endpointAddress.children.counts(), { inAll: 3, byTarget: { files: 2, other: 1 } })
    await first!.answer
    first!.wire.close()
    while (endpointAddress.children.counts().byTarget.files === 2) await new Promise(setImmediate)
    await callForResult(endpointAddress.transport(respondsOnce), 'initialize')
  })

  await t.test('allows a number of processes in total', async () => {
    await using endpointAddress = new StdioTestContext({ children: { perTarget: 2, inAll: 3 } })
    await Promise.all(
      ['a', 'b', 'c'].map((target) =>
        callForResult(endpointAddress.transport(respondsOnce, target), 'initialize'),
      ),
    )
    const fault = await faultOf(callForResult(endpointAddress.transport(respondsOnce, 'd'), 'initialize'))
    assert.equal(fault.message, 'mcp: all targets together are at the limit of 3 running server processes')
    // A refused start is no exit.
    for (let i = 0; i < 5; i++)
      await faultOf(callForResult(endpointAddress.transport(respondsOnce, 'd'), 'initialize'))
    assert.deepEqual(endpointAddress.children.counts(), { inAll: 3, byTarget: { a: 1, b: 1, c: 1 } })
  })

  await t.test('is 100 per target by default, and 500 in total', async () => {
    await using endpointAddress = new StdioTestContext()
    const entered = []
    for (let i = 0; i < 500; i++)
      entered.push(endpointAddress.children.enter(`target-${Math.floor(i / 100)}`))
    const refused = ['target-0', 'target-5'].map((target) => endpointAddress.children.enter(target))
    assert.deepEqual(
      refused.map((fault) => ('message' in fault ? fault.message : '')),
      [
        'mcp: target target-0 is at the limit of 100 running server processes',
        'mcp: all targets together are at the limit of 500 running server processes',
      ],
    )
    for (const one of entered)
      if ('left' in one) {
        one.left()
        one.left()
      }
    assert.deepEqual(endpointAddress.children.counts(), { inAll: 0, byTarget: {} })
  })
})
