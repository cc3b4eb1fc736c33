import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { MultipartModel } from '../../../../src/operators/llm/request/multipart-model.ts'

const type = 'multipart/form-data; boundary=xx'

const part = (head: string, value: string) => `--xx\r\n${head}\r\n\r\n${value}\r\n`
const model = part('Content-Disposition: form-data; name="model"', 'whisper-1')
const file = part(
  'Content-Disposition: form-data; name="file"; filename="model"\r\nContent-Type: audio/wav',
  'RIFF\r\n\r\nname="model"\r\n-- xx -\r\n',
)
const end = '--xx--\r\n'

const read = (form: string, sizeBytes = form.length, contentType = type) => {
  const found = new MultipartModel(contentType)
  for (let at = 0; at < form.length; at += sizeBytes) found.push(Buffer.from(form.slice(at, at + sizeBytes)))
  return { values: found.values, count: found.count }
}

suite('the field `model` of a form', () => {
  for (const [name, form, values, count] of [
    ['before a file', model + file + end, ['whisper-1'], 1],
    ['behind a file', file + model + end, ['whisper-1'], 1],
    ['twice', model + file + model + end, ['whisper-1', 'whisper-1'], 2],
    ['not there', file + end, [], 0],
    ['without its end', file + model.slice(0, -4), [], 0],
    ['of nothing', '', [], 0],
  ] as const)
    for (const sizeBytes of [1, 2, 3, 5, 8, 13, 1000])
      test(`is found ${name}, in pieces of ${sizeBytes} bytes`, () => {
        assert.deepEqual(read(form, sizeBytes), { values, count })
      })

  for (const head of [
    'content-disposition:form-data;name=model',
    'CONTENT-DISPOSITION: FORM-DATA; NAME="model"',
    'Content-Type: text/plain\r\nContent-Disposition: form-data; charset=utf-8; name="model"; x=y',
    'Content-Disposition : form-data ; name = "model"',
  ])
    test(`is found in ${JSON.stringify(head)}`, () => {
      assert.deepEqual(read(part(head, 'm') + end).values, ['m'])
    })

  for (const head of [
    'Content-Disposition: form-data; name="models"',
    'Content-Disposition: form-data; filename="model"; name="file"',
    'Content-Disposition: attachment; name="model"',
    'X: form-data; name="model"',
  ])
    test(`is not in ${JSON.stringify(head)}`, () => {
      assert.deepEqual(read(part(head, 'm') + end), { values: [], count: 0 })
    })

  test('is present without a value if its value does not end', () => {
    const head = '--xx\r\nContent-Disposition: form-data; name="model"\r\n\r\n'
    assert.deepEqual(read(head + 'm'.repeat(20_000), 999), { values: [], count: 1 })
  })

  test('is repeated if there are two boundaries', () => {
    assert.ok(read(model + end, 999, `${type}; boundary=yy`).count > 1)
  })

  test('is absent in a form without a boundary', () => {
    assert.deepEqual(read(model + end, 999, 'multipart/form-data'), { values: [], count: 0 })
  })

  test('is searched in a few kilobytes at a time', () => {
    const found = new MultipartModel(type)
    const before = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 500; i++) found.push(Buffer.alloc(64 * 1024, '-'))
    assert.ok(process.memoryUsage().arrayBuffers - before < 80e6)
    found.push(Buffer.from(`\r\n${model}${end}`))
    assert.deepEqual(found.values, ['whisper-1'])
  })
})
