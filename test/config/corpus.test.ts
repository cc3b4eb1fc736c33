import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, suite, test } from 'node:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { internalUpstreams } from '../../src/admin/internal-upstream.ts'
import { Registry } from '../../src/upstream/registry.ts'
import { compileConfiguration } from '../../src/config/compile.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { corpus, knownFields, usedFields } from './corpus.ts'

const folder = mkdtempSync(join(tmpdir(), 'corpus-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A CA certificate with its key. */
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'cert.key')]
const request = [
  'req',
  '-x509',
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:prime256v1',
  '-nodes',
  '-subj',
  '/CN=corpus',
]
execFileSync('openssl', [...request, '-days', '2', '-keyout', key, '-out', cert], { stdio: 'ignore' })

/** The files that the corpus refers to. */
const texts: Readonly<Record<string, string>> = {
  'tls.pem': readFileSync(cert, 'utf8'),
  'tls.key': readFileSync(key, 'utf8'),
  'authority.pem': readFileSync(cert, 'utf8'),
  'authority.key': readFileSync(key, 'utf8'),
  'ca.pem': readFileSync(cert, 'utf8'),
  'key.txt': 'key-of-a-file\n',
  'users.htpasswd': 'ann:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n',
  'jwks.json':
    '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}',
  'adc.json': '{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"}',
  'catalog.json': '{"providers":{"openai":{"models":{"large":{"rates":{"input":"1","output":"4"}}}}}}',
  'openapi.json':
    '{"openapi":"3.0.0","info":{"title":"t","version":"1"},"paths":{"/pets":{"get":{"operationId":"pets","responses":{"200":{"description":"ok"}}}}}}',
}
const files = {
  read: (path: string) =>
    Object.hasOwn(texts, path) ? { text: texts[path] ?? '' } : { problem: 'is not there' },
}

const accepted = corpus('accepted')
const refused = corpus('refused')

suite('a configuration with fields of the reference', () => {
  for (const { name, text } of accepted)
    test(`loads: ${name}`, async () => {
      const parsed = parseConfig(text, `${name}.yaml`, {}, files)
      const registry = new Registry()
      try {
        compileConfiguration(parsed, {
          registry,
          rescuer: faultReply(),
          internal: internalUpstreams([], () => undefined),
        })
      } finally {
        await registry.close()
      }
    })

  test('belongs to a large corpus', () => {
    assert.ok(accepted.length >= 60)
  })
})

suite('a configuration that is intentionally refused', () => {
  for (const { name, text } of refused)
    test(`is refused with its reason: ${name}`, () => {
      const expected = /^# Refused:\n((?:# .*\n)+)/.exec(text)?.[1]?.replace(/^# /gm, '').trimEnd()
      assert.ok(expected, 'begins with what is said of it')
      let said = ''
      try {
        parseConfig(text, `${name}.yaml`, {}, files)
      } catch (error) {
        said = String(error instanceof Error ? error.message : error)
      }
      assert.equal(said.replace(/^\S+\.yaml:\d+:\d+: /gm, ''), expected)
    })
})

test('every field of the reference is used by a corpus file, and each refused field by a refused file', () => {
  const used = new Set(accepted.flatMap(({ text }) => [...usedFields(text)]))
  const usedWhereRefused = new Set(refused.flatMap(({ text }) => [...usedFields(text)]))
  const unused = [...knownFields()].filter(
    ([field, isRefused]) => !(isRefused ? usedWhereRefused : used).has(field),
  )
  assert.deepEqual(
    unused.map(([field]) => field),
    [],
  )
})
