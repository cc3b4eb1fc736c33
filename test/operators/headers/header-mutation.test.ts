import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '../../../src/model/exchange/headers.ts'
import {
  applyFieldChanges,
  type FieldChange,
  fieldChange,
} from '../../../src/operators/headers/header-mutation.ts'

test('a header mutation of a service', async (t) => {
  const after = (action: FieldChange['action'], raw: string[]) => {
    const headers = new Headers(raw)
    applyFieldChanges(headers, [{ name: 'x-a', value: 'new', action }])
    return headers.raw.join()
  }
  const cases: Readonly<Record<FieldChange['action'], readonly [there: string, absent: string]>> = {
    append: ['x-a,1,x-a,2,x-a,new', 'x-a,new'],
    set: ['x-a,new', 'x-a,new'],
    'add-if-absent': ['x-a,1,x-a,2', 'x-a,new'],
    'set-if-present': ['x-a,new', ''],
  }
  for (const [action, [there, absent]] of Object.entries(cases) as [
    FieldChange['action'],
    [string, string],
  ][])
    await t.test(action, () => {
      assert.equal(after(action, ['x-a', '1', 'x-a', '2']), there)
      assert.equal(after(action, []), absent)
    })

  await t.test('is ignored for framing headers and invalid values', () => {
    for (const name of ['Content-Length', 'transfer-encoding', 'connection', 'host', ':path', 'no name'])
      assert.equal(fieldChange(name, '1', 'set'), undefined, name)
    assert.equal(fieldChange('x-a', 'a\r\nb', 'set'), undefined)
    assert.deepEqual(fieldChange('X-A', 'ü', 'set'), { name: 'x-a', value: 'ü', action: 'set' })
  })
})
