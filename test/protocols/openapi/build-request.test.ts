import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import { type OpenApiRequest, buildRequest } from '../../../src/protocols/openapi/build-request.ts'
import { openApiTools } from '../../../src/protocols/openapi/tools.ts'
import { toolIn } from '../../support/openapi/open-api-document.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'

const requestFor = (file: string, name: string, args: unknown): OpenApiRequest => {
  const request = buildRequest(toolIn(file, name), args)
  if ('invalid' in request) assert.fail(request.invalid)
  return request
}
const invalidFor = (file: string, name: string, args: unknown): string | undefined => {
  const request = buildRequest(toolIn(file, name), args)
  return 'invalid' in request ? request.invalid : undefined
}
/** A tool with one parameter. */
const toolWith = (parameter: JsonObject, path = '/a') => {
  const [tool] = openApiTools({
    openapi: '3.1.0',
    paths: { [path]: { get: { operationId: 'a', parameters: [parameter] } } },
  }).tools
  return tool!
}
const queryFor = (parameter: JsonObject, value: unknown): string => {
  const request = buildRequest(toolWith({ name: 'p', in: 'query', ...parameter }), { query: { p: value } })
  return 'invalid' in request ? `! ${request.invalid}` : request.target.slice('/a'.length)
}

test('an OpenAPI request', async (t) => {
  await t.test('has method, path and Accept, and no body if there is none', () => {
    const { method, target, headers, body } = requestFor('pets.yaml', 'getPetById', { path: { petId: 7 } })
    assert.deepEqual(
      [method, target, headers.raw, body],
      ['GET', '/pet/7', ['accept', 'application/json'], undefined],
    )
  })

  await t.test('has all parameters', () => {
    const { target, headers } = requestFor('code-host.yaml', 'issues_list-for-repo', {
      path: { owner: 'a b', repo: 'c/d' },
      query: { per_page: 5, labels: ['x y', 'z'], assignees: ['a|b', 'c'] },
      header: { 'X-Api-Version': '2024' },
      cookie: { session: 'a;b' },
    })
    assert.equal(target, '/repos/a%20b/c%2Fd/issues?per_page=5&labels=x%20y%20z&assignees=a%7Cb%7Cc')
    assert.deepEqual(headers.raw, [
      'accept',
      'application/json',
      'x-api-version',
      '2024',
      'cookie',
      'session=a%3Bb',
    ])
  })

  await t.test('has paths, queries and cookies in every style', () => {
    const { target, headers } = requestFor('trips.yaml', 'listTrips', {
      path: { ids: [1, 2], point: [3.5, 4], days: ['mo', 'tu'] },
      query: {
        where: { from: 'Köln', to: 'a&b=c' },
        range: { from: 1, to: 2 },
        filter: { a: [1, null] },
        url: 'https://x.example/a?b&c#d',
        'ids[]': [1, 2],
      },
      header: { 'X-Tags': ['a', 'b'] },
      cookie: { seen: true },
    })
    assert.equal(
      target,
      '/trips/1,2/at.3.5.4/on;days=mo;days=tu?from=K%C3%B6ln&to=a%26b%3Dc&range=from,1,to,2' +
        '&filter=%7B%22a%22%3A%5B1%2Cnull%5D%7D&url=https://x.example/a?b%26c%23d&ids%5B%5D=1&ids%5B%5D=2',
    )
    assert.deepEqual(headers.raw, ['accept', 'application/json', 'x-tags', 'a,b', 'cookie', 'seen=true'])
  })

  await t.test('accepts the media types of the document, if JSON is not among them', () => {
    const { headers } = requestFor('files.yaml', 'getBlob', { path: { name: 'a', ext: 'png' } })
    assert.equal(headers.get('accept'), 'image/png, application/json;q=0.5')
  })
})

test('a query parameter', async (t) => {
  const deep = { style: 'deepObject', explode: true, schema: true }
  const cases: readonly (readonly [string, JsonObject, unknown, string])[] = [
    ['repeats itself for a list', { schema: true }, ['a', 'b'], '?p=a&p=b'],
    ['is not there for an empty list', { schema: true }, [], ''],
    ['is not there for null', { schema: true }, null, ''],
    ['is there for an empty text', { schema: true }, '', '?p='],
    ['is a list in one piece', { schema: true, explode: false }, ['a,b', 'c'], '?p=a%2Cb,c'],
    ['becomes the fields of an object', { schema: true }, { a: 1, b: null, c: [1] }, '?a=1&c=%5B1%5D'],
    ['is an object in one piece', { schema: true, explode: false }, { a: 1, b: 'x' }, '?p=a,1,b,x'],
    [
      'has brackets',
      deep,
      { a: { b: 1 }, c: [1, 2] },
      '?p%5Ba%5D%5Bb%5D=1&p%5Bc%5D%5B%5D=1&p%5Bc%5D%5B%5D=2',
    ],
    ['numbers objects of lists', deep, { a: [{ b: 1 }] }, '?p%5Ba%5D%5B0%5D%5Bb%5D=1'],
    ['has lists in brackets', deep, ['x'], '?p%5B%5D=x'],
    ['has plain values as they are', deep, 'x', '?p=x'],
    ['writes numbers so that they are read alike', { schema: true }, 1e21, '?p=1e%2B21'],
    ['cannot end a query', { schema: true, allowReserved: true }, 'a#b&c=d+e;f', '?p=a%23b%26c=d%2Be%3Bf'],
    ['is no half of a pair', { schema: true }, '\ud800', '! a text contains half of a surrogate pair'],
  ]
  for (const [what, parameter, value, expected] of cases)
    await t.test(what, () => {
      assert.equal(queryFor(parameter, value), expected)
    })
})

test('a path parameter', async (t) => {
  const tool = toolWith({ name: 'id', in: 'path', schema: true }, '/a/{id}/b')
  const pathFor = (id: unknown) => {
    const request = buildRequest(tool, { path: { id } })
    return 'invalid' in request ? `! ${request.invalid}` : request.target
  }

  await t.test('stays in its segment', () => {
    const paths = ['x/y', 'x?y#z', '%2e%2e', '...', 'x..y', ';x', 'ä'].map(pathFor)
    assert.deepEqual(paths, [
      '/a/x%2Fy/b',
      '/a/x%3Fy%23z/b',
      '/a/%252e%252e/b',
      '/a/.../b',
      '/a/x..y/b',
      '/a/%3Bx/b',
      '/a/%C3%A4/b',
    ])
  })

  await t.test('cannot be a dot segment, empty, or contain control characters', () => {
    const step = '! path.id must not be a step to another path'
    const empty = '! path.id must not be empty'
    const strange = '! a path parameter contains what may not stand in a path'
    const cases: readonly (readonly [unknown, string])[] = [
      ['..', step],
      ['.', step],
      ['../x', step],
      ['x/../..', step],
      ['x\\..\\y', step],
      ['..;x', step],
      ['', empty],
      [[], empty],
      [null, empty],
      [{}, empty],
      ['\0', strange],
      ['a\r\nb', strange],
    ]
    assert.deepEqual(
      cases.map(([value]) => pathFor(value)),
      cases.map(([, expected]) => expected),
    )
  })

  await t.test('cannot form a dot segment with adjacent text', () => {
    const both = openApiTools({
      openapi: '3.1.0',
      paths: {
        '/a/{x}{y}': {
          get: {
            operationId: 'a',
            parameters: ['x', 'y'].map((name) => ({ name, in: 'path', schema: { type: 'string' } })),
          },
        },
      },
    }).tools[0]!
    assert.deepEqual(buildRequest(both, { path: { x: 'a', y: '..' } }), {
      invalid: 'path.y must not be a step to another path',
    })
    const dots = toolWith({ name: 'id', in: 'path', schema: true }, '/a/.{id}/b')
    assert.deepEqual(buildRequest(dots, { path: { id: '.' } }), {
      invalid: 'path.id must not be a step to another path',
    })
    const label = toolWith(
      { name: 'id', in: 'path', style: 'label', explode: true, schema: true },
      '/a/{id}/b',
    )
    assert.ok('invalid' in buildRequest(label, { path: { id: ['', ''] } }))
  })

  await t.test('never changes the number of segments', () => {
    const styles = ['simple', 'label', 'matrix'].flatMap((style) =>
      [true, false].map((explode) =>
        toolWith({ name: 'id', in: 'path', style, explode, schema: true }, '/a/{id}/b'),
      ),
    )
    const nasty = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      ';',
      '%2f',
      '%2e',
      '?',
      '#',
      '\0',
      '\n',
      'a',
      '',
      ',',
      '=',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(nasty, { maxLength: 6 }).map((parts) => parts.join('')),
    )
    let sent = 0
    const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.dictionary(text, text, { maxKeys: 3 }))
    fc.assert(
      fc.property(value, fc.constantFrom(...styles), (id, styled) => {
        const request = buildRequest(styled, { path: { id } })
        if ('invalid' in request) return
        sent++
        assert.match(request.target, /^\/a\/[^/?#\\]+\/b$/)
        const { pathname, search, hash } = new URL(request.target, 'http://localhost')
        assert.deepEqual([pathname, search, hash], [request.target, '', ''])
        const steps = decodeURIComponent(request.target).split(/[/\\]/)
        assert.ok(!steps.includes('..') && !steps.includes('.'))
      }),
      { numRuns: 2_000 },
    )
    assert.ok(sent > 200, `only ${sent} values made a request`)
  })
})

test('a header parameter', async (t) => {
  const tool = toolWith({ name: 'X-A', in: 'header', schema: true })
  await t.test('is a field value', () => {
    const request = buildRequest(tool, { header: { 'X-A': { b: 1, c: 'é' } } })
    assert.ok('headers' in request)
    assert.equal(request.headers.get('x-a'), 'b,1,c,é')
  })
  await t.test('cannot add another field', () => {
    for (const value of ['a\r\nb: c', 'a\0', '漢'])
      assert.deepEqual(buildRequest(tool, { header: { 'X-A': value } }), {
        invalid: 'header.X-A contains what may not stand in a header field',
      })
  })
})

test('a cookie parameter', async (t) => {
  await t.test('cannot add another cookie', () => {
    const tool = toolWith({ name: 'a', in: 'cookie', schema: true })
    const request = buildRequest(tool, { cookie: { a: { 'x;y=': 'z; b=c' } } })
    assert.ok('headers' in request)
    assert.equal(request.headers.get('cookie'), 'x%3By%3D=z%3B%20b%3Dc')
  })
})

test('a body', async (t) => {
  const bodyFor = (file: string, name: string, args: unknown): [string | undefined, string] => {
    const { headers, body } = requestFor(file, name, args)
    return [headers.get('content-type'), String(body)]
  }

  await t.test('is the argument itself', () => {
    const pet = { name: 'Rex', photoUrls: [], nickname: null, more: { deep: [1, { x: true }] } }
    assert.deepEqual(bodyFor('pets.yaml', 'addPet', { body: pet }), ['application/json', JSON.stringify(pet)])
    const patch = [{ op: 'remove', path: '/a' }]
    assert.deepEqual(bodyFor('files.yaml', 'patchThing', { path: { id: 'x' }, body: patch }), [
      'application/json-patch+json',
      JSON.stringify(patch),
    ])
  })

  await t.test('is a form, with brackets if the document requires them', () => {
    const [type, text] = bodyFor('payments.yaml', 'PostCustomers', {
      body: {
        address: { city: 'Genève & co', line1: 'x' },
        balance: -5,
        metadata: { 'a b': '1+1=2' },
        items: [{ price: 'p1', quantity: 2 }, { price: 'p2' }],
        scopes: ['r', 'w'],
        settings: { theme: 'dark' },
      },
    })
    assert.equal(type, 'application/x-www-form-urlencoded')
    assert.deepEqual(
      [...new URLSearchParams(text)],
      [
        ['address[city]', 'Genève & co'],
        ['address[line1]', 'x'],
        ['balance', '-5'],
        ['metadata[a b]', '1+1=2'],
        ['items[0][price]', 'p1'],
        ['items[0][quantity]', '2'],
        ['items[1][price]', 'p2'],
        ['scopes', 'r'],
        ['scopes', 'w'],
        ['settings', '{"theme":"dark"}'],
      ],
    )
    assert.ok(text.includes('Gen%C3%A8ve+%26+co'))
  })

  await t.test('is a form with files that other parsers can read', async () => {
    const { headers, body } = requestFor('files.yaml', 'uploadDocument', {
      body: {
        file: {
          data: Buffer.from([0, 255, 13, 10]).toString('base64'),
          filename: 'a"b\r\n.bin',
          contentType: 'application/pdf',
        },
        purpose: 'search',
        picture: Buffer.from('png').toString('base64url'),
        pages: [Buffer.from('one').toString('base64'), { data: 'dHdv' }],
        tags: ['x', 'ü'],
        meta: { author: 'me' },
      },
    })
    const type = headers.get('content-type')!
    const response = new Response(new Uint8Array(body!), { headers: { 'content-type': type } })
    // Its documentation advises servers against it; here it is a second parser.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const form = await response.formData()
    const read = await Promise.all(
      [...form].map(async ([name, value]) =>
        typeof value === 'string'
          ? [name, value]
          : [name, value.name, value.type, Buffer.from(await value.arrayBuffer()).toString('latin1')],
      ),
    )
    assert.deepEqual(read, [
      ['file', 'a"b\r\n.bin', 'application/pdf', '\0\xff\r\n'],
      ['purpose', 'search'],
      ['picture', 'picture', 'image/png', 'png'],
      ['pages', 'pages', 'application/octet-stream', 'one'],
      ['pages', 'pages', 'application/octet-stream', 'two'],
      ['tags', 'x'],
      ['tags', 'ü'],
      ['meta', '{"author":"me"}'],
    ])
  })

  await t.test('is bytes, or text', () => {
    const { headers, body } = requestFor('pets.yaml', 'uploadFile', { path: { petId: 1 }, body: 'AP8=' })
    assert.deepEqual([headers.get('content-type'), body], ['application/octet-stream', Buffer.from([0, 255])])
    assert.deepEqual(bodyFor('files.yaml', 'addNote', { body: 'Grüße' }), ['text/plain', 'Grüße'])
  })

  await t.test('is absent if it is not given', () => {
    const { headers, body } = requestFor('pets.yaml', 'uploadFile', { path: { petId: 1 } })
    assert.deepEqual([headers.has('content-type'), body], [false, undefined])
  })

  await t.test('has no other types', () => {
    assert.equal(
      invalidFor('pets.yaml', 'uploadFile', { path: { petId: 1 }, body: 'no base64!' }),
      'body must be base64',
    )
    assert.equal(
      invalidFor('files.yaml', 'uploadDocument', {
        body: { file: { data: 'AA==', contentType: 'a\r\nb' }, purpose: 'search' },
      }),
      'body.file.contentType is no media type',
    )
  })
})

test('arguments', async (t) => {
  const cases: readonly (readonly [string, string, string, unknown, string])[] = [
    ['that are missing', 'pets.yaml', 'getPetById', {}, "arguments must have required property 'path'"],
    ['that are no object', 'pets.yaml', 'getPetById', [], 'arguments must be object'],
    ['of the wrong type', 'pets.yaml', 'getPetById', { path: { petId: '7' } }, 'path.petId must be integer'],
    [
      'that are not declared',
      'pets.yaml',
      'getPetById',
      { path: { petId: 7, admin: true } },
      'path must NOT have additional properties: "admin"',
    ],
    [
      'that are none of the choices',
      'pets.yaml',
      'findPetsByStatus',
      { query: { status: ['gone'] } },
      'query.status.0 must be equal to one of the allowed values: ["available","pending","sold"]',
    ],
    [
      'that are wrong far down in what refers to itself',
      'trees.yaml',
      'addNode',
      { body: { name: 'a', children: [{ name: 'b' }, { name: 'c', children: [{}] }] } },
      "body.children.1.children.0 must have required property 'name'",
    ],
  ]
  for (const [what, file, name, args, expected] of cases)
    await t.test(`${what} are refused`, () => {
      assert.equal(invalidFor(file, name, args), expected)
    })

  await t.test('may match several branches of `oneOf`', () => {
    assert.equal(invalidFor('shapes.yaml', 'setDate', { body: '2026-01-01' }), undefined)
    assert.equal(invalidFor('shapes.yaml', 'setDate', { body: 5 }), 'body must be string')
    assert.equal(
      invalidFor('shapes.yaml', 'addShape', { body: { kind: 'round', radius: 1, side: 1 } }),
      undefined,
    )
    assert.equal(
      invalidFor('trees.yaml', 'search', {
        body: { and: [{ field: 'a' }, { not: { field: 'b', value: 1 } }] },
      }),
      undefined,
    )
    assert.ok(invalidFor('trees.yaml', 'search', { body: { and: [{ not: {} }] } }))
  })

  await t.test('are validated with `oneOf` and `anyOf` side by side', () => {
    const schema = {
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      oneOf: [{ required: ['c'] }, { required: ['d'] }],
    }
    const [tool] = openApiTools({
      openapi: '3.1.0',
      paths: {
        '/a': { post: { operationId: 'a', requestBody: { content: { 'application/json': { schema } } } } },
      },
    }).tools
    const fits = [{ a: 1, d: 1 }, { a: 1 }, { c: 1 }].map((body) => 'target' in buildRequest(tool!, { body }))
    assert.deepEqual(fits, [true, false, false])
  })

  await t.test('are validated with keywords of JSON Schema 2020-12', () => {
    const problem = (body: unknown) => invalidFor('modern.yaml', 'addThing', { body })
    assert.equal(problem({ label: null, byId: 'ab', byAnchor: 1, pair: ['a', 1] }), undefined)
    assert.equal(problem({ kind: 'thing' }), "body must have required property 'label'")
    assert.equal(problem({ size: 1 }), 'body must have property label when property size is present')
    assert.equal(problem({ byId: 'a' }), 'body.byId must NOT have fewer than 2 characters')
    assert.equal(problem({ pair: ['a', 1, 2] }), 'body.pair must NOT have more than 2 items')
  })

  await t.test('cannot keep the gateway busy', () => {
    const doubling = {
      type: 'object',
      anyOf: [
        { properties: { n: { $ref: '#/components/schemas/A' } } },
        { properties: { n: { $ref: '#/components/schemas/A' } } },
      ],
    }
    const [tool] = openApiTools({
      openapi: '3.1.0',
      paths: {
        '/a': {
          post: {
            operationId: 'a',
            requestBody: {
              content: {
                'application/json': {
                  schema: {
                    properties: {
                      tree: { $ref: '#/components/schemas/A' },
                      text: { type: 'string', pattern: '^(a+)+$' },
                      list: { type: 'array', uniqueItems: true },
                    },
                  },
                },
              },
            },
          },
        },
      },
      components: { schemas: { A: doubling } },
    }).tools
    let tree: unknown = 'no object'
    for (let i = 0; i < 60; i++) tree = { n: tree }
    let deep: unknown = {}
    for (let i = 0; i < 50_000; i++) deep = { n: deep }
    const begun = cpuTimeMs()
    const complex = { invalid: 'arguments are too complex to be checked' }
    assert.deepEqual(buildRequest(tool!, { body: { tree } }), complex)
    assert.deepEqual(buildRequest(tool!, { body: { tree: deep } }), complex)
    assert.deepEqual(buildRequest(tool!, { body: { other: deep } }), {
      invalid: 'arguments are nested too deeply',
    })
    assert.ok('invalid' in buildRequest(tool!, { body: { text: `${'a'.repeat(50_000)}!` } }))
    const list = Array.from({ length: 50_000 }, (_, i) => ({ i }))
    assert.ok('target' in buildRequest(tool!, { body: { list } }))
    assert.ok(cpuTimeMs() - begun < 5_000)
  })
})
