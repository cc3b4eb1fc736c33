import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  encodeNotification,
  encodeRpcRequest,
  encodeResponse,
} from '../../../src/protocols/json-rpc/encode.ts'
import { isNotification, isRequest, isResponse } from '../../../src/protocols/json-rpc/message.ts'
import { parseMessage, parseMessages } from '../../../src/protocols/json-rpc/parse.ts'

/** Code, text and id of the error. */
const refused = (text: string | Uint8Array) => {
  const parsed = parseMessages(text)
  assert.ok('error' in parsed, 'must be refused')
  return [parsed.error.code, parsed.error.message, parsed.id]
}

const message = (text: string) => {
  const parsed = parseMessage(text)
  assert.ok('message' in parsed, JSON.stringify(parsed))
  return parsed.message
}

test('JSON-RPC messages', async (t) => {
  await t.test('are requests, notifications, and responses', () => {
    const request = message('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1]}}')
    assert.deepEqual(request, { jsonrpc: '2.0', id: 1, method: 'ping', params: { a: [1] } })
    assert.ok(isRequest(request))
    assert.ok(isNotification(message('{"jsonrpc":"2.0","method":"n"}')))
    const result = message('{"jsonrpc":"2.0","id":"a","result":{}}')
    assert.ok(isResponse(result) && 'result' in result)
    assert.deepEqual(
      message('{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"m","data":0,"more":1}}'),
      {
        jsonrpc: '2.0',
        id: 2,
        error: { code: -1, message: 'm', data: 0 },
      },
    )
  })

  await t.test('are parsed from bytes as from text', () => {
    const text = '{"jsonrpc":"2.0","id":"größer","method":"ping"}'
    assert.deepEqual(parseMessages(Buffer.from(text)), parseMessages(text))
    assert.deepEqual(
      parseMessages(new Uint8Array([0, ...Buffer.from(text)]).subarray(1)),
      parseMessages(text),
    )
  })

  await t.test('may have fractions, empty texts, or zero as ids', () => {
    for (const id of [1.5, 0, -3, '', 'a', 9_007_199_254_740_991]) {
      const read = message(encodeRpcRequest(id, 'ping'))
      assert.deepEqual('id' in read && read.id, id)
    }
  })

  await t.test('may have null as params', () => {
    assert.deepEqual(message('{"jsonrpc":"2.0","id":1,"method":"m","params":null}'), {
      jsonrpc: '2.0',
      id: 1,
      method: 'm',
      params: undefined,
    })
  })

  await t.test('may be errors without an id', () => {
    const error = { code: -32700, message: 'm' }
    assert.deepEqual(message('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}'), {
      jsonrpc: '2.0',
      id: null,
      error,
    })
    assert.deepEqual(message('{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}'), {
      jsonrpc: '2.0',
      error,
    })
  })

  await t.test('lose unknown members, and keep names that are special in JavaScript', () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"m","__proto__":{"x":1},"more":2,"params":{"__proto__":{"admin":true}}}'
    const read = message(text)
    assert.deepEqual(Object.keys(read), ['jsonrpc', 'id', 'method', 'params'])
    assert.equal(Object.getPrototypeOf(read), Object.prototype)
    assert.ok('params' in read)
    assert.equal(read.params?.admin, undefined)
    assert.equal(JSON.stringify(read.params), '{"__proto__":{"admin":true}}')
  })

  await t.test('may be batches', () => {
    assert.deepEqual(
      parseMessages('[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"method":"b"}]'),
      {
        messages: [
          { jsonrpc: '2.0', method: 'a', params: undefined },
          { jsonrpc: '2.0', id: 1, method: 'b', params: undefined },
        ],
        batch: true,
      },
    )
    const single = parseMessages('{"jsonrpc":"2.0","method":"a"}')
    assert.equal('batch' in single && single.batch, false)
    assert.deepEqual(refused('[]'), [-32600, 'Invalid request: a batch needs a message', null])
    assert.deepEqual(refused('[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":7,"method":1}]'), [
      -32600,
      'Invalid request: method must be a string (message 2 of the batch)',
      7,
    ])
    assert.deepEqual(parseMessage('[{"jsonrpc":"2.0","method":"a"}]'), {
      error: { code: -32600, message: 'Invalid request: a message is an object, not an array' },
      id: null,
    })
  })
})

test('an invalid message', async (t) => {
  await t.test('gets an error with the offset of the JSON error, without its text', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['', 'the JSON text ends too early'],
      ['{"jsonrpc":"2.0"', 'the JSON text ends too early'],
      ['{"secret" 1}', 'invalid JSON at character 11'],
      ['secret', 'invalid JSON at character 1'],
      ['{"a":tru}', 'invalid JSON at character 6'],
      ['{} x', 'invalid JSON at character 4'],
    ]
    for (const [text, problem] of cases)
      assert.deepEqual(refused(text), [-32700, `Parse error: ${problem}`, null])
  })

  await t.test('gets an error with the offset of invalid UTF-8', () => {
    assert.deepEqual(refused(Buffer.from([0x22, 0xc3, 0xa9, 0xff, 0x22])), [
      -32700,
      'Parse error: invalid UTF-8 at byte 3',
      null,
    ])
    assert.deepEqual(refused(Buffer.from([0x22, 0xe6])).slice(0, 2), [
      -32700,
      'Parse error: invalid UTF-8 at byte 1',
    ])
  })

  await t.test('gets an error with the reason, and its id if that can be parsed', () => {
    const cases: readonly (readonly [string, number, string, unknown])[] = [
      ['1', -32600, 'a message is an object', null],
      ['null', -32600, 'a message is an object', null],
      ['{}', -32600, 'jsonrpc must be "2.0"', null],
      ['{"jsonrpc":"1.0","id":4,"method":"m"}', -32600, 'jsonrpc must be "2.0"', 4],
      ['{"jsonrpc":"2.0","id":4}', -32600, 'neither method nor result nor error', 4],
      ['{"jsonrpc":"2.0","id":4,"method":5}', -32600, 'method must be a string', 4],
      ['{"jsonrpc":"2.0","id":4,"method":"m","result":{}}', -32600, 'both method and result or error', 4],
      ['{"jsonrpc":"2.0","id":4,"result":{},"error":{}}', -32600, 'both result and error', 4],
      ['{"jsonrpc":"2.0","id":null,"method":"m"}', -32600, 'id must be a string or a number', null],
      ['{"jsonrpc":"2.0","id":{},"method":"m"}', -32600, 'id must be a string or a number', null],
      ['{"jsonrpc":"2.0","id":true,"result":{}}', -32600, 'id must be a string or a number', null],
      ['{"jsonrpc":"2.0","id":1e999,"method":"m"}', -32600, 'id is a number too large to be exact', null],
      [
        '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}',
        -32600,
        'id is a number too large to be exact',
        null,
      ],
      ['{"jsonrpc":"2.0","id":4,"method":"m","params":"p"}', -32600, 'params must be an object', 4],
      ['{"jsonrpc":"2.0","id":4,"result":[]}', -32600, 'result must be an object', 4],
      ['{"jsonrpc":"2.0","id":4,"result":null}', -32600, 'result must be an object', 4],
      ['{"jsonrpc":"2.0","result":{}}', -32600, 'a result needs the id of its request', null],
      ['{"jsonrpc":"2.0","id":null,"result":{}}', -32600, 'a result needs the id of its request', null],
      ['{"jsonrpc":"2.0","id":4,"error":"e"}', -32600, 'error must be an object', 4],
      ['{"jsonrpc":"2.0","id":4,"error":{"message":"m"}}', -32600, 'error.code must be a whole number', 4],
      [
        '{"jsonrpc":"2.0","id":4,"error":{"code":1.5,"message":"m"}}',
        -32600,
        'error.code must be a whole number',
        4,
      ],
      ['{"jsonrpc":"2.0","id":4,"error":{"code":1}}', -32600, 'error.message must be a string', 4],
    ]
    for (const [text, code, problem, id] of cases)
      assert.deepEqual(refused(text), [code, `Invalid request: ${problem}`, id], text)
    assert.deepEqual(refused('{"jsonrpc":"2.0","id":4,"method":"m","params":[1]}'), [
      -32602,
      'Invalid params: params must be an object',
      4,
    ])
  })

  await t.test('is one that is nested deeper than 512 levels, in any way', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    const request = (levels: number) => `{"jsonrpc":"2.0","method":"m","params":{"a":${nested(levels)}}}`
    assert.ok('messages' in parseMessages(request(510)))
    assert.deepEqual(refused(request(511)), [-32600, 'Invalid request: nested deeper than 512 levels', null])
    for (const levels of [100_000, 1_000_000]) {
      assert.deepEqual(refused(request(levels))[0], -32600)
      assert.deepEqual(refused('{"a":'.repeat(levels))[1], 'Parse error: the JSON text ends too early')
    }
  })
})

test('an encoded message', async (t) => {
  await t.test('has the expected bytes', () => {
    assert.equal(encodeRpcRequest(1, 'ping'), '{"jsonrpc":"2.0","id":1,"method":"ping"}')
    assert.equal(
      encodeRpcRequest('a', 'm', { b: 1 }),
      '{"jsonrpc":"2.0","id":"a","method":"m","params":{"b":1}}',
    )
    assert.equal(encodeNotification('n', {}), '{"jsonrpc":"2.0","method":"n","params":{}}')
    assert.equal(encodeResponse(1.5, { result: {} }), '{"jsonrpc":"2.0","id":1.5,"result":{}}')
    const error = { code: -32600, message: 'm' }
    assert.equal(
      encodeResponse(null, { error }),
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}',
    )
    assert.equal(
      encodeResponse(undefined, { error }),
      '{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}',
    )
  })

  await t.test('is parsed as the same message', () => {
    const id = fc.oneof(
      fc.string(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
    )
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }))
    fc.assert(
      fc.property(id, fc.string(), object, (someId, method, params) => {
        const expected = JSON.parse(JSON.stringify(params)) as unknown
        const request = parseMessages(Buffer.from(encodeRpcRequest(someId, method, params)))
        assert.deepEqual(request, {
          messages: [{ jsonrpc: '2.0', id: someId, method, params: expected }],
          batch: false,
        })
        const response = parseMessages(encodeResponse(someId, { result: params }))
        assert.deepEqual(response, {
          messages: [{ jsonrpc: '2.0', id: someId, result: expected }],
          batch: false,
        })
      }),
    )
  })

  await t.test('never makes the parser throw', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void parseMessages(bytes)))
    fc.assert(fc.property(fc.json(), (json) => void parseMessages(json)))
  })
})
