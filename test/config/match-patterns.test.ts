import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from '../../src/config/errors.ts'
import { parseConfig } from '../../src/config/parse.ts'

const messageOf = (text: string): string => {
  try {
    parseConfig(text, 'gateway.yaml', {})
    return ''
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
  }
}

const fileWith = (...paths: readonly string[]): string => `gateways:
  default:
    port: 3000
routes:
- matches:
${paths.map((path) => `  - path:\n      regex: '${path}'`).join('\n')}
  policies:
    directResponse: {status: 200}
`

test('a regular expression that is too large is an error with its line', () => {
  assert.equal(messageOf(fileWith('/[0-9a-f]{32}')), '')
  const message = messageOf(fileWith('/a', '/(?:(?:a{1000})|b{1000})'))
  assert.match(message, /^gateway\.yaml:9:14: routes\[0\]\.matches\[1\]\.path\.regex: /)
  assert.match(message, /too large a regular expression: the limit is 1024 instructions/)
  assert.match(
    messageOf(fileWith('/' + 'a'.repeat(1_024))),
    /^gateway\.yaml:7:14: .*the limit is 1024 characters/,
  )
})

test('so are those of a route that are too large together', () => {
  const large = Array.from({ length: 5 }, (_, index) => `/${index}/[a-z]{1000}`)
  assert.equal(messageOf(fileWith(...large.slice(0, 4))), '')
  const message = messageOf(fileWith(...large))
  assert.match(message, /^gateway\.yaml:14:5: routes\[0\]\.matches\[4\]:? .*the limit is 4096 characters/)
})
