import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { generateFiles } from '../../scripts/generate-schema/files.ts'
import { formats } from '../../src/config/format/formats.ts'
import type { SchemaNode } from '../../src/config/schema/builders.ts'
import { schema } from '../../src/config/schema/root.ts'
import { addKeywords } from '../../src/config/schema-check/ajv-keywords.ts'

const definitions = schema.$defs as Readonly<Record<string, SchemaNode>>

const fieldsOf = (name: string): readonly string[] => Object.keys(definitions[name]?.properties ?? {}).sort()

/** All nested schemas, by location. */
function* all(node: unknown, at: string): Iterable<readonly [SchemaNode, string]> {
  if (Array.isArray(node)) for (const [i, item] of node.entries()) yield* all(item, `${at}/${String(i)}`)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return
  yield [node as SchemaNode, at]
  for (const [key, value] of Object.entries(node))
    if (key !== 'default' && key !== 'enum') yield* all(value, `${at}/${key}`)
}

test('the schema', async (t) => {
  await t.test('is a valid JSON Schema', () => {
    const ajv = new Ajv2020({
      strictTypes: false,
      strictRequired: false,
      formats: Object.fromEntries(Object.keys(formats).map((name) => [name, true])),
    })
    addKeywords(ajv)
    assert.equal(ajv.validateSchema(schema), true)
    // Most schemas are compiled on first use; here every definition is compiled.
    ajv.compile(schema)
  })

  await t.test('names formats that exist', () => {
    const named = [...all(schema, '')].flatMap(([{ format }]) => (typeof format === 'string' ? [format] : []))
    assert.ok(named.length > 50)
    assert.deepEqual(
      named.filter((name) => !(name in formats)),
      [],
    )
  })

  await t.test('describes every field', () => {
    const bare = [...all(schema, '')].flatMap(([{ properties }, at]) =>
      Object.entries(properties ?? {}).flatMap(([name, field]) => {
        const target =
          typeof field.$ref === 'string' ? definitions[field.$ref.slice('#/$defs/'.length)] : field
        return (field.description ?? target?.description ?? '') === '' ? [`${at}/${name}`] : []
      }),
    )
    assert.deepEqual(bare, [])
  })

  await t.test('has no dangling references and no unused definitions', () => {
    const used = new Set(
      [...all(schema, '')].flatMap(([{ $ref }]) => (typeof $ref === 'string' ? [$ref] : [])),
    )
    const known = Object.keys(definitions).map((name) => `#/$defs/${name}`)
    assert.deepEqual(
      [...used].filter((name) => !known.includes(name)),
      [],
    )
    assert.deepEqual(
      known.filter((name) => !used.has(name)),
      [],
    )
  })

  await t.test('allows no unknown fields in any object with named fields', () => {
    const open = [...all(schema, '')].flatMap(([node, at]) =>
      node.properties !== undefined && node.additionalProperties !== false ? [at] : [],
    )
    // RFC 9728 allows additional fields in the metadata of resources.
    assert.deepEqual(open, ['/$defs/McpResourceMetadata'])
  })

  await t.test('has every section of a file', () => {
    assert.deepEqual(
      Object.keys(schema.properties ?? {}).sort(),
      'backends binds config frontendPolicies gateways llm mcp policies routeGroups routes services tcpRoutes udpRoutes ui workloads'.split(
        ' ',
      ),
    )
  })

  await t.test('has every policy, also those that are not supported', () => {
    assert.deepEqual(
      fieldsOf('RoutePolicies'),
      (
        'a2a ai apiKey authorization backendAuth backendTLS backendTunnel basicAuth buffer cors csrf delay directResponse ' +
        'extAuthz extProc health http jwtAuth loadBalancing localRateLimit mcpAuthentication mcpAuthorization mcpGuardrails oidc remoteRateLimit ' +
        'requestHeaderModifier requestMirror requestRedirect responseHeaderModifier retry tcp timeout transformations urlRewrite'
      ).split(' '),
    )
    assert.deepEqual(
      fieldsOf('GatewayPolicies'),
      'apiKey authorization basicAuth cors extAuthz extProc jwtAuth oidc transformations'.split(' '),
    )
    assert.deepEqual(
      fieldsOf('BackendPolicies'),
      (
        'a2a ai authorization backendAuth backendTLS backendTunnel extAuthz health http inferenceRouting loadBalancing mcpAuthentication mcpAuthorization ' +
        'mcpGuardrails requestHeaderModifier requestMirror requestRedirect responseHeaderModifier sessionAffinity tcp transformations'
      ).split(' '),
    )
  })

  await t.test('has every setting of the process', () => {
    assert.deepEqual(
      fieldsOf('ProcessSection').filter(
        (name) => !['admin', 'adminHosts', 'unknownPrice', 'xdsRootCa'].includes(name),
      ),
      (
        'additionalTrustDomains adminAddr backend caAddress caAuthToken clusterId connectionMinTerminationDeadline ' +
        'connectionTerminationDeadline customFunctions database dns enableIpv6 gateway hbone histograms localXdsPath logging ' +
        'mcp metrics modelCatalog namespace network readinessAddr sensitiveHeaders serviceAccount session ' +
        'skipValidateTrustDomain spiffe standardAttributes statsAddr storage tracing trustDomain workerThreads xdsAddress xdsAuthToken'
      ).split(' '),
    )
  })
})

test('what is generated from the schema', async (t) => {
  for (const [path, content] of await generateFiles()) {
    await t.test(`is up to date: ${path}`, async () => {
      const current = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
      assert.ok(current === content, `${path} is out of date: run node scripts/generate-schema.ts`)
    })
  }

  await t.test(
    'accepts and refuses the same files as the validation does, as far as a schema can',
    async () => {
      const published = JSON.parse(
        await readFile(new URL('../../config/schema.json', import.meta.url), 'utf8'),
      ) as object
      const ajv = new Ajv2020({ strict: false, validateFormats: false })
      const validate = ajv.compile(published)
      const gateways = { default: { port: 3000 } }
      const good = [
        {},
        { gateways, routes: [{ gateways: ['default'], backends: [{ host: 'a:1' }] }] },
        { gateways, routes: [{ policies: { directResponse: { status: 200 } } }] },
        { gateways, routes: [{ policies: { directResponse: { conditional: [{ status: 200 }] } } }] },
      ]
      const bad = [
        { gateway: {} },
        { gateways: { default: { port: '3000' } } },
        { gateways, routes: [{ backends: [{ host: 'a:1', backend: 'b' }] }] },
        { gateways, routes: [{ policies: { directResponse: { conditional: [] } } }] },
        {
          gateways,
          routes: [{ policies: { directResponse: { status: 200, body: 'a', bodyExpression: 'b' } } }],
        },
      ]
      assert.deepEqual(
        good.map((file) => validate(file)),
        good.map(() => true),
      )
      assert.deepEqual(
        bad.map((file) => validate(file)),
        bad.map(() => false),
      )
    },
  )
})
