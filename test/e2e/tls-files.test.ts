import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/load.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'

test('certificate files of a configuration', async (t) => {
  using authority = makeAuthority()
  const file = (name: string) => join(authority.folder, name)
  const [mine, other] = [authority.issue('mine'), authority.issue('other')]
  writeFileSync(file('junk'), 'no certificate\n')
  writeFileSync(file('cut'), mine.cert.slice(0, 300))
  execFileSync(
    'openssl',
    ['ec', '-aes128', '-passout', 'pass:a', '-in', mine.keyFile, '-out', file('locked')],
    {
      stdio: 'ignore',
    },
  )
  const tls = (cert: string, key: string, root: string) =>
    `{ cert: ${file(cert)}, key: ${file(key)}, root: ${file(root)} }`
  const listener = (files: string) => `gateways: { default: { port: 3000, tls: ${files} } }\n`
  const upstream = (files: string) => `gateways: { default: { port: 3000 } }
routes: [{ backends: [{ host: 'a:443', policies: { backendTLS: ${files} } }] }]\n`
  const problems = async (text: string): Promise<string> => {
    try {
      await loadConfig({ kind: 'text', text }, {})
      return ''
    } catch (error) {
      return (error as Error).message.replaceAll(`${authority.folder}/`, '')
    }
  }

  await t.test('are checked when it is loaded, each problem with its location', async () => {
    assert.equal(await problems(listener(tls('mine.pem', 'mine.key', 'ca.pem'))), '')
    assert.equal(await problems(upstream(tls('mine.pem', 'mine.key', 'ca.pem'))), '')
    const at = (field: string, rest: string) =>
      new RegExp(`^<command line>:1:\\d+: gateways\\.default\\.tls\\.${field}: ${rest}$`, 'm')
    const wrong: readonly (readonly [string, RegExp])[] = [
      [tls('gone.pem', 'mine.key', 'ca.pem'), at('cert', '"gone.pem" is not there')],
      [tls('cut', 'mine.key', 'ca.pem'), at('cert', '"cut" has no certificate in PEM, or a broken one')],
      [tls('mine.pem', 'gone.key', 'ca.pem'), at('key', '"gone.key" is not there')],
      [tls('mine.pem', 'junk', 'ca.pem'), at('key', '"junk" has no private key in PEM, or a broken one')],
      [tls('mine.pem', 'locked', 'ca.pem'), at('key', '"locked" is encrypted: the gateway cannot open it')],
      [tls('mine.pem', 'other.key', 'ca.pem'), at('key', '"other.key" is not the key of ".*mine.pem"')],
      [
        tls('mine.pem', 'mine.key', 'mine.key'),
        at('root', '"mine.key" has no certificate in PEM, or a broken one'),
      ],
    ]
    for (const [files, expected] of wrong) assert.match(await problems(listener(files)), expected)
    assert.match(
      await problems(upstream(tls('gone.pem', 'junk', 'junk'))),
      /:2:\d+: .*backendTLS\.cert: "gone\.pem" is.*\n.*backendTLS\.key: "junk" has.*\n.*backendTLS\.root: "junk" has/,
    )
  })

  await t.test('are redacted if a key was written in place of its file', async () => {
    const text = listener(`{ cert: ${mine.certFile}, key: ${JSON.stringify(mine.key)} }`)
    const told = await problems(text)
    assert.match(told, /tls\.key: <redacted> is not there/)
    assert.ok(!told.includes(mine.key.slice(40, 60)))
  })

  await t.test('that are missing keep the last valid configuration in force until they exist', async () => {
    const gateway = (port: string) => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1${port} } }
routes: [{ policies: { directResponse: { status: 200 } } }]\n`
    await using daemon = await startDaemon(gateway(''))
    const late = [file('late.pem'), file('late.key')] as const
    daemon.rewrite(gateway(`, tls: { cert: ${late[0]}, key: ${late[1]} }`))
    await daemon.printed(/Failed to reload config.*late\.pem\\" is not there/)
    assert.equal((await fetch(daemon.url('default'))).status, 200)
    copyFileSync(other.certFile, late[0])
    copyFileSync(other.keyFile, late[1])
    assert.equal(readFileSync(late[1], 'utf8'), other.key)
    await daemon.printed(/https:\/\//)
  })
})
