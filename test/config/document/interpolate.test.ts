import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from '../../../src/config/errors.ts'
import { interpolate } from '../../../src/config/document/interpolate.ts'
import { parseConfig } from '../../../src/config/parse.ts'

const env = { NAME: 'value', PORT: '3000', EMPTY: '', _X1: 'x', API_TOKEN: 's3cr3t-token' }

test('interpolate', async (t) => {
  const table: readonly (readonly [written: string, becomes: string])[] = [
    ['plain', 'plain'],
    ['$NAME', 'value'],
    ['${NAME}', 'value'],
    ['a$NAME-b', 'avalue-b'],
    ['a${NAME}b', 'avalueb'],
    ['$NAME$PORT', 'value3000'],
    ['$_X1', 'x'],
    ['${NAME:-other}', 'value'],
    ['${MISSING:-other}', 'other'],
    ['${EMPTY:-other}', 'other'],
    ['${MISSING:-}', ''],
    ['${MISSING:-a:b/c-d}', 'a:b/c-d'],
    ['$EMPTY', ''],
    ['$$NAME', '$NAME'],
    ['$$', '$'],
    ['$$$NAME', '$value'],
    ['$name ${name} $1 ${1} $', '$name ${name} $1 ${1} $'],
    ['^/a$', '^/a$'],
    ['${NAME', '${NAME'],
    ['${NAME-x}', '${NAME-x}'],
    ['$apr1$Kq3TTfBg$9ytPM0uLGzZHXVUVmAvYS/', '$apr1$Kq3TTfBg$9ytPM0uLGzZHXVUVmAvYS/'],
    ['u:$2y$05$ABCDEFGHIJKLMNOPQRSTUe', 'u:$2y$05$ABCDEFGHIJKLMNOPQRSTUe'],
    ['$5$SALT$ABCDEFGHIJKL', '$5$SALT$ABCDEFGHIJKL'],
    ['costs 5$ or $5', 'costs 5$ or $5'],
  ]
  for (const [written, becomes] of table) {
    await t.test(`${written} becomes ${becomes}`, () => {
      assert.deepEqual([interpolate(written, env).text, interpolate(written, env).unset], [becomes, []])
    })
  }

  await t.test('lists unset variables as they were written', () => {
    const { unset } = interpolate('$A ${B} ${C:-c} $toString', {})
    assert.deepEqual(unset, [
      { name: 'A', reference: '$A' },
      { name: 'B', reference: '${B}' },
    ])
  })

  await t.test('does not treat inherited object properties as variables', () => {
    assert.equal(interpolate('${__PROTO__:-none}', {}).text, 'none')
  })
})

test('variables in a file', async (t) => {
  const body = (text: string): string =>
    `gateways: {default: {port: 1}}\nroutes:\n  - policies:\n      directResponse:\n        status: 200\n        body: ${text}\n`
  const bodyOf = (text: string): unknown => {
    const policy = parseConfig(body(text), 'gw.yaml', env).resources.binds[0]?.listeners[0]?.routes[0]
      ?.policies
    const response = policy?.directResponse
    return response && 'body' in response ? response.body : undefined
  }

  await t.test('are substituted in plain, quoted and block scalars', () => {
    assert.deepEqual(
      [bodyOf('$NAME'), bodyOf('"a $NAME"'), bodyOf("'${NAME}'"), bodyOf('|\n          a\n          $NAME')],
      ['value', 'a value', 'value', 'a\nvalue\n'],
    )
  })

  await t.test('cannot add fields', () => {
    const hostile = { TEXT: 'a\n        headers: {x: y}' }
    const { resources } = parseConfig(body('"$TEXT"'), 'gw.yaml', hostile)
    const policy = resources.binds[0]?.listeners[0]?.routes[0]?.policies.directResponse
    assert.deepEqual(policy, { status: 200, body: hostile.TEXT, headers: [] })
  })

  await t.test('are not substituted in comments and field names', () => {
    const text = '# $MISSING\ngateways: {default: {port: 1}} # ${ALSO_MISSING}\n'
    assert.equal(parseConfig(text, 'gw.yaml', {}).resources.binds.length, 1)
    assert.throws(() => parseConfig('$NAME: 1', 'gw.yaml', env), {
      message: /^gw\.yaml:1:1: \["\$NAME"\]: unknown field/,
    })
  })

  await t.test('change the type of plain scalars only', () => {
    const port = (text: string): number | undefined =>
      parseConfig(`gateways: {default: {port: ${text}}}`, 'gw.yaml', env).resources.binds[0]?.port
    assert.equal(port('$PORT'), 3000)
    assert.throws(() => port('"$PORT"'), { message: /must be a whole number/ })
    // Digits in a text field keep their original spelling.
    assert.equal(bodyOf('$PORT'), '3000')
  })

  await t.test('are reported at their location if they are not set', () => {
    assert.throws(
      () => parseConfig(body('"héllo $NAME ${GONE}"'), 'gw.yaml', env),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError)
        assert.deepEqual(
          error.problems.map(({ line, column, path }) => [line, column, path]),
          [[6, 28, 'routes[0].policies.directResponse.body']],
        )
        return true
      },
    )
  })

  await t.test('do not expose their values in messages', () => {
    const hostile = { PORT: 's3cr3t-token', WHERE: 's3cr3t:no', EXPR: "'s3cr3t" }
    const text = `gateways: {default: {port: "$PORT"}}
backends: [{name: a, host: "$WHERE"}]
routes: [{policies: {directResponse: {status: 200, bodyExpression: "$EXPR"}}}]`
    assert.throws(
      () => parseConfig(text, 'gw.yaml', hostile),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError)
        assert.equal(error.problems.length, 3)
        assert.doesNotMatch(error.message, /s3cr3t/)
        return true
      },
    )
  })

  await t.test('with names of credentials are registered as secrets', () => {
    assert.deepEqual(parseConfig(body('"$API_TOKEN $NAME"'), 'gw.yaml', env).secrets, ['s3cr3t-token'])
  })
})
