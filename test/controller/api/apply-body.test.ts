import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { applyBody } from '../../../src/controller/api/apply-body.ts'

test('bodies of server-side apply have no character that YAML changes or refuses', () => {
  const text = 'a\u007f\u0085\u009f\u2028\u2029\ufeff\uffff \\ud83d \\\\ "😀" ü \n'
  const body = applyBody({ text })
  assert.doesNotMatch(body, /[\u007f-\u009f\u2028\u2029\ufeff\uffff]/)
  assert.deepEqual(JSON.parse(body), { text })
  assert.deepEqual(parse(body), { text })
  assert.equal(applyBody({ half: 'x\ud83d' }), '{"half":"x\\ufffd"}')
  assert.equal(applyBody({ half: '\\\udc00' }), '{"half":"\\\\\\ufffd"}')
})
