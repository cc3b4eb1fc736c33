import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import { buildRequest } from '../../../src/protocols/openapi/build-request.ts'
import { openApiTools } from '../../../src/protocols/openapi/tools.ts'
import { openApiDocument, toolIn, toolsIn } from '../../support/openapi/open-api-document.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'

const body = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const documentOf = (paths: unknown, more: JsonObject = {}) => ({ openapi: '3.1.0', paths, ...more })
/** A document with one operation, whose body has this schema. */
const withBody = (schema: unknown, schemas: JsonObject = {}, openapi = '3.1.0') =>
  documentOf(
    { '/a': { post: { operationId: 'a', requestBody: body(schema) } } },
    { openapi, components: { schemas } },
  )
const bodySchema = (schema: unknown, openapi?: string): unknown => {
  const [tool] = openApiTools(withBody(schema, {}, openapi)).tools
  return (tool?.inputSchema.properties as JsonObject).body
}
const offered = (file: string) => {
  const { prefix, tools, problems } = openApiTools(openApiDocument(file))
  return { prefix, tools: tools.map(({ name }) => name), problems }
}

test('the tools of a document', async (t) => {
  await t.test('are its operations, in order, with the path of its server', () => {
    assert.deepEqual(offered('pets.yaml'), {
      prefix: '/api/v3',
      tools: [
        'updatePet',
        'addPet',
        'findPetsByStatus',
        'getPetById',
        'deletePet',
        'uploadFile',
        'getInventory',
      ],
      problems: [],
    })
  })

  await t.test('have a title from the summary and a description from description, summary or name', () => {
    const tools = toolsIn('pets.yaml')
    const told = ['getPetById', 'updatePet', 'getInventory'].map((name) => {
      const { title, description } = tools.get(name)!
      return [title, description]
    })
    assert.deepEqual(told, [
      ['Find pet by ID', 'Returns a single pet'],
      ['Updates a pet', 'Updates a pet'],
      [undefined, 'getInventory'],
    ])
    const long = documentOf({
      '/a': { get: { operationId: 'a', summary: `${'x'.repeat(62)}😀${'y'.repeat(9)}` } },
    })
    assert.equal(openApiTools(long).tools[0]?.title, `${'x'.repeat(62)}…`)
  })

  await t.test('have the annotations of their methods', () => {
    const hints = ['getPetById', 'addPet', 'updatePet', 'deletePet'].map(
      (name) => toolIn('pets.yaml', name).annotations,
    )
    assert.deepEqual(hints, [
      { title: 'Find pet by ID', readOnlyHint: true },
      { readOnlyHint: false },
      { title: 'Updates a pet', readOnlyHint: false, idempotentHint: true },
      { readOnlyHint: false, idempotentHint: true, destructiveHint: true },
    ])
  })

  await t.test('accept path, query, header, cookie and body, each only if there is any', () => {
    assert.deepEqual(toolIn('pets.yaml', 'getPetById').inputSchema, {
      type: 'object',
      properties: {
        path: {
          type: 'object',
          properties: { petId: { type: 'integer', format: 'int64', description: 'Which one' } },
          required: ['petId'],
          additionalProperties: false,
        },
      },
      required: ['path'],
      additionalProperties: false,
    })
    const { properties, required } = toolIn('code-host.yaml', 'issues_list-for-repo').inputSchema
    assert.deepEqual(Object.keys(properties as object), ['path', 'query', 'header', 'cookie'])
    assert.deepEqual(required, ['path'])
    assert.deepEqual(toolIn('pets.yaml', 'getInventory').inputSchema.properties, {})
  })

  await t.test('inherit the parameters of their path, and may replace them', () => {
    const { properties } = toolIn('code-host.yaml', 'issues_list-for-repo').inputSchema as {
      properties: Record<string, { properties: object }>
    }
    assert.deepEqual(Object.keys(properties.path!.properties), ['owner', 'repo'])
    assert.deepEqual(properties.query!.properties, {
      per_page: { type: 'integer', maximum: 50, description: 'At most 50 here' },
      labels: { type: 'array', items: { type: 'string' } },
      assignees: { type: 'array', items: { type: 'string' } },
    })
  })

  await t.test('omit header parameters that gateways set, or that are set elsewhere', () => {
    const { problems } = openApiTools(openApiDocument('trips.yaml'))
    const place = 'GET /trips/{ids}/at{point}/on{days} leaves out the header parameter'
    assert.deepEqual(problems, [
      `${place} "X-Forwarded-For", which is not for callers to set`,
      `${place} "Host", which is not for callers to set`,
    ])
    const { header } = toolIn('trips.yaml', 'listTrips').inputSchema.properties as Record<string, JsonObject>
    assert.deepEqual(Object.keys(header!.properties as object), ['X-Tags'])
  })

  await t.test('have unique names of 64 plain characters', () => {
    const { tools } = offered('sloppy.yaml')
    assert.deepEqual(tools, [
      'same',
      'same_7dc3be84',
      'this_is_a_name_that_goes_on_and_on_until_nobody_can_rea_55a2041f',
      'this_is_a_name_that_goes_on_and_on_until_nobody_can_rea_a25749c1',
      'List_all_items_v2_',
      'strangeSchema',
    ])
    assert.deepEqual(offered('code-host.yaml').tools, [
      'repos_get',
      'issues_list-for-repo',
      'issues_create',
      'git_get-ref',
    ])
  })

  await t.test('omit unsupported operations, with the reason', () => {
    assert.deepEqual(offered('sloppy.yaml').problems, [
      'GET /unnamed has no `operationId`',
      'GET /items/{id} does not describe the parameter "id" of its path',
      'TRACE /trace uses a method that is not offered',
      'GET /elsewhere is on a server of its own',
      'GET no-slash has a path that does not begin with a slash',
      'GET /../up has a path that is none',
      'GET /query?x=1 has a path that is none',
      'POST /body has a parameter without `name` or `in`',
    ])
    assert.deepEqual(offered('newest.yaml'), {
      prefix: '',
      tools: ['searchByQuery'],
      problems: [
        'COPY /search uses a method that is not offered',
        'GET /whole has a parameter in "querystring", which is not supported',
      ],
    })
  })

  await t.test('never come from outside of the document', () => {
    assert.deepEqual(offered('split.yaml'), {
      prefix: '',
      tools: ['nearby', 'found'],
      problems: [
        '/far refers to "paths/far.yaml", which is not in this document',
        'POST /half refers to "./schemas.yaml#/Half", which is not in this document',
        'GET /web refers to "https://example.com/parameters.json#/page", which is not in this document',
        'POST /missing refers to "#/components/schemas/Missing", which does not exist',
        'POST /encoded refers to "#/paths/~1half%2Fx/post", which does not exist',
      ],
    })
  })
})

test('a refused document', async (t) => {
  const refusals: readonly (readonly [string, unknown, string])[] = [
    [
      'of Swagger 2.0',
      { swagger: '2.0', paths: {} },
      'the document is of Swagger "2.0"; convert it to OpenAPI 3 first',
    ],
    ['of no version', { paths: {} }, 'the document says nothing of being OpenAPI 3.x: its `openapi`'],
    ['of version 4', { openapi: '4.0.0', paths: {} }, 'the document says nothing of being OpenAPI 3.x'],
    ['that is a list', [], 'the document is no object'],
    ['that is nothing', undefined, 'the document is no object'],
    ['without paths', { openapi: '3.1.0' }, 'the document has no `paths`'],
    [
      'with two servers',
      documentOf({}, { servers: [{ url: '/a' }, { url: '/b' }] }),
      'the document names 2 servers in `servers`',
    ],
    [
      'with a server whose path is a riddle',
      documentOf({}, { servers: [{ url: 'https://example.com/{base}' }] }),
      'the document has a server whose URL cannot be used',
    ],
  ]
  for (const [what, document, text] of refusals)
    await t.test(`is one ${what}`, () => {
      const { tools, problems, refusal } = openApiTools(document)
      assert.equal(refusal?.slice(0, text.length), text)
      assert.deepEqual([tools, problems], [[], [refusal]])
    })
})

test('the path of a server', async (t) => {
  const prefixes: readonly (readonly [string, string])[] = [
    ['https://example.com', ''],
    ['https://example.com/', ''],
    ['//example.com/a/', '/a'],
    ['/a/b', '/a/b'],
    ['./a', '/a'],
    ['https://example.com/a/../b', '/b'],
  ]
  for (const [url, prefix] of prefixes)
    await t.test(`of ${url} is ${JSON.stringify(prefix)}`, () => {
      assert.equal(openApiTools(documentOf({}, { servers: [{ url }] })).prefix, prefix)
    })
  await t.test('has the defaults of its variables', () => {
    assert.equal(openApiTools(openApiDocument('code-host.yaml')).prefix, '/rest')
  })
})

test('a schema', async (t) => {
  await t.test('of OpenAPI 3.0 is converted to JSON Schema 2020-12', () => {
    const { $defs, properties } = toolIn('pets.yaml', 'addPet').inputSchema
    assert.deepEqual(properties, { body: { $ref: '#/$defs/Pet' } })
    assert.deepEqual($defs, {
      Pet: {
        type: 'object',
        properties: {
          name: { type: 'string', examples: ['Rex'] },
          category: { $ref: '#/$defs/Category' },
          photoUrls: { type: 'array', items: { type: 'string' } },
          weight: { type: 'number', exclusiveMinimum: 0 },
          nickname: { type: ['string', 'null'], enum: ['Bo', 'Mo', null] },
          owner: { anyOf: [{ allOf: [{ $ref: '#/$defs/Owner' }] }, { type: 'null' }] },
        },
        required: ['name', 'photoUrls'],
      },
      Category: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
      Owner: { type: 'object', properties: { name: { type: 'string' } } },
    })
  })

  await t.test('of OpenAPI 3.1 is unchanged', () => {
    const { body: schema } = toolIn('modern.yaml', 'addThing').inputSchema.properties as JsonObject
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        kind: { const: 'thing' },
        label: { type: ['string', 'null'], maxLength: 5 },
        size: { type: 'number', exclusiveMinimum: 0 },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
        other: { $ref: '#/$defs/Other', description: 'With words of its own' },
        byId: { $ref: '#/$defs/named' },
        byAnchor: { $ref: '#/$defs/marked' },
      },
      if: { properties: { kind: { const: 'thing' } }, required: ['kind'] },
      then: { required: ['label'] },
      dependentRequired: { size: ['label'] },
      unevaluatedProperties: false,
    })
  })

  await t.test('beside a reference applies from OpenAPI 3.1 on', () => {
    const schema = { $ref: '#/components/schemas/B', description: 'mine', minLength: 2 }
    const bodies = ['3.0.0', '3.1.0'].map((openapi) => {
      const { tools } = openApiTools(withBody(schema, { B: { type: 'string' } }, openapi))
      return (tools[0]!.inputSchema.properties as JsonObject).body
    })
    assert.deepEqual(bodies, [
      { $ref: '#/$defs/B', description: 'mine' },
      { $ref: '#/$defs/B', description: 'mine', minLength: 2 },
    ])
  })

  await t.test(
    'may contain itself, directly or indirectly, or be reached by references to references',
    () => {
      const defs = (name: string) => Object.keys(toolIn('trees.yaml', name).inputSchema.$defs as object)
      assert.deepEqual(['addNode', 'addPerson', 'search', 'chained'].map(defs), [
        ['Node'],
        ['Person', 'Company'],
        ['Filter'],
        ['Third'],
      ])
    },
  )

  await t.test('may not be itself, or a part of itself', () => {
    assert.deepEqual(offered('trees.yaml').problems, [
      'POST /same refers in a circle: "#/components/schemas/Itself"',
      'POST /parts has a schema that is part of itself without end: "PartOfItself"',
    ])
  })

  await t.test('loses invalid keywords, and is used without them', () => {
    const { body: schema } = toolIn('sloppy.yaml', 'strangeSchema').inputSchema.properties as JsonObject
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        a: {},
        b: { type: 'string' },
        c: { type: 'string', pattern: '(?<=x)y' },
        d: { type: 'array' },
        e: true,
      },
    })
    const tool = toolIn('sloppy.yaml', 'strangeSchema')
    assert.ok('target' in buildRequest(tool, { body: { a: 1, b: '', c: 'anything', d: [1], e: null } }))
    assert.deepEqual(buildRequest(tool, { body: { b: 1 } }), { invalid: 'body.b must be string' })
  })

  await t.test('has a discriminator with the value of each variant', () => {
    const { body: schema } = toolIn('shapes.yaml', 'addShape').inputSchema.properties as JsonObject
    assert.deepEqual(schema, {
      oneOf: [{ $ref: '#/$defs/Circle' }, { $ref: '#/$defs/Square' }],
      discriminator: { propertyName: 'kind', mapping: { round: '#/$defs/Circle', flat: '#/$defs/Square' } },
    })
  })

  await t.test('drops read-only properties from required, also inherited ones', () => {
    const own = { properties: { id: { type: 'string', readOnly: true } }, required: ['id', 'name'] }
    assert.deepEqual(bodySchema({ allOf: [own], required: ['id', 'name'] }), {
      allOf: [{ properties: {}, required: ['name'] }],
      required: ['name'],
    })
  })

  await t.test('is truncated if it is too long, inner levels first', () => {
    const big = (next: number) => ({
      type: 'object',
      description: 'x'.repeat(4_000),
      properties: { next: { $ref: `#/components/schemas/S${next}` } },
    })
    const schemas = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [`S${i}`, big((i + 1) % 1_000)]),
    )
    const [tool] = openApiTools(withBody({ $ref: '#/components/schemas/S0' }, schemas)).tools
    const defs = tool!.inputSchema.$defs as Record<string, JsonObject>
    assert.ok(JSON.stringify(tool!.inputSchema).length < 270_000)
    assert.ok('properties' in defs.S0!)
    assert.deepEqual(Object.values(defs).at(-1), {
      description: 'Any value; its description is too long for this list.',
    })
    assert.ok('target' in buildRequest(tool!, { body: { next: { next: {} } } }))
  })

  await t.test('is converted once for the tools that share it', () => {
    const a = toolIn('pets.yaml', 'addPet')
    const tools = toolsIn('pets.yaml')
    const defs = ['addPet', 'updatePet'].map((name) => tools.get(name)!.inputSchema.$defs as JsonObject)
    assert.equal(defs[0]!.Pet, defs[1]!.Pet)
    assert.ok(a)
  })
})

test('a hostile document', async (t) => {
  const within = (ms: number, work: () => void) => {
    const begun = cpuTimeMs()
    work()
    const tookMs = cpuTimeMs() - begun
    assert.ok(tookMs < ms, `took ${Math.round(tookMs)} ms`)
  }

  await t.test('has names of inherited properties, which are ordinary names', () => {
    const tool = toolIn('traps.json', '__proto__')
    const { body: schema } = tool.inputSchema.properties as { body: { properties: JsonObject } }
    assert.deepEqual(Object.keys(schema.properties), ['valueOf', 'hasOwnProperty'])
    const args = {
      path: { constructor: 'p' },
      query: { toString: 't' },
      body: { valueOf: { polluted: 1 }, hasOwnProperty: 1 },
    }
    const request = buildRequest(tool, args)
    assert.ok('target' in request)
    assert.equal(request.target, '/traps/p?toString=t')
    assert.equal(String(request.body), '{"valueOf":{"polluted":1},"hasOwnProperty":1}')
    assert.deepEqual(buildRequest(tool, { body: {} }), {
      invalid: "arguments must have required property 'path'",
    })
    assert.deepEqual(buildRequest(tool, { path: { constructor: 'p' }, body: { valueOf: {} } }), {
      invalid: "body.valueOf must have required property 'polluted'",
    })
    assert.equal(({} as JsonObject).polluted, undefined)
    assert.deepEqual(offered('traps.json').problems, [
      'GET /named/{__proto__} has a parameter by the name of `__proto__`',
      'POST /inherited refers to "#/constructor", which does not exist',
    ])
  })

  await t.test('is nested without end', () => {
    let deep: JsonObject = { type: 'string' }
    for (let i = 0; i < 100_000; i++) deep = { type: 'array', items: deep }
    assert.deepEqual(openApiTools(withBody(deep)).problems, [
      'POST /a has a schema nested deeper than 64 levels',
    ])
    let example: unknown = 1
    for (let i = 0; i < 100_000; i++) example = [example]
    assert.deepEqual(bodySchema({ type: 'string', default: example, enum: [example] }), { type: 'string' })
  })

  await t.test('is a cyclic graph, made with YAML aliases', () => {
    const round: JsonObject = { type: 'object' }
    round.properties = { again: round }
    round.default = round
    assert.deepEqual(openApiTools(withBody(round)).problems, [
      'POST /a has a schema nested deeper than 64 levels',
    ])
    let laughs: unknown = { type: 'string' }
    for (let i = 0; i < 40; i++) laughs = { allOf: [laughs, laughs] }
    within(5_000, () => {
      assert.deepEqual(openApiTools(withBody(laughs)).problems, [
        'POST /a has a schema of more than 20000 parts',
      ])
    })
  })

  await t.test('has references that multiply', () => {
    const parts = Array.from({ length: 500 }, () => ({ $ref: '#/components/schemas/A' }))
    within(5_000, () => {
      const { problems } = openApiTools(withBody({ allOf: parts }, { A: { allOf: parts } }))
      assert.deepEqual(problems, ['POST /a has a schema that is part of itself without end: "A"'])
      const form = { 'multipart/form-data': { schema: { $ref: '#/components/schemas/A' } } }
      const forms = documentOf(
        { '/a': { post: { operationId: 'a', requestBody: { content: form } } } },
        { components: { schemas: { A: { allOf: parts } } } },
      )
      assert.equal(openApiTools(forms).tools.length, 0)
    })
  })

  await t.test('has chains of references', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, i) => [`S${i}`, { $ref: `#/components/schemas/S${i + 1}` }]),
    )
    within(5_000, () => {
      assert.deepEqual(openApiTools(withBody({ $ref: '#/components/schemas/S0' }, chain)).problems, [
        'POST /a refers in a circle: "#/components/schemas/S0"',
      ])
    })
    const nested = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, i) => [
        `S${i}`,
        { type: 'object', properties: { next: { $ref: `#/components/schemas/S${i + 1}` } } },
      ]),
    )
    within(5_000, () => {
      const [tool] = openApiTools(withBody({ $ref: '#/components/schemas/S0' }, nested)).tools
      assert.equal(Object.keys(tool!.inputSchema.$defs as object).length, 401)
      assert.ok('target' in buildRequest(tool!, { body: { next: {} } }))
      assert.deepEqual(buildRequest(tool!, { body: { next: { next: 1 } } }), {
        invalid: 'body.next.next must be object',
      })
    })
  })

  await t.test('has ten thousand operations that share a hundred schemas', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [
        `S${i}`,
        {
          type: 'object',
          properties: { a: { $ref: `#/components/schemas/S${(i * 7 + 1) % 100}` }, b: { type: 'string' } },
        },
      ]),
    )
    const paths = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => [
        `/p${i}/{id}`,
        {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          post: { operationId: `op${i}`, requestBody: body({ $ref: `#/components/schemas/S${i % 100}` }) },
        },
      ]),
    )
    within(10_000, () => {
      assert.equal(openApiTools(documentOf(paths, { components: { schemas } })).tools.length, 10_000)
    })
  })

  await t.test('is five megabytes long, in one text, one name and one list', () => {
    const long = 'y'.repeat(5_000_000)
    within(5_000, () => {
      const { tools, problems } = openApiTools(
        documentOf({
          '/a': { get: { operationId: long, description: long, summary: long } },
          [`/${long}`]: { get: {} },
          '/b': { post: { operationId: 'b', requestBody: body({ $ref: long }) } },
          '/c': { post: { operationId: 'c', requestBody: body({ enum: long.split('') }) } },
        }),
      )
      assert.deepEqual(
        tools.map(({ name, description }) => [name.length, description.length]),
        [
          [64, 4_096],
          [1, 1],
        ],
      )
      assert.ok(problems.every((problem) => problem.length < 600))
    })
  })
})
