import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { ConfigError, formatWarning } from '../../src/config/errors.ts'
import { loadConfig } from '../../src/config/load.ts'
import { cleanEnvironment } from '../support/command.ts'
import { daemonProgram } from '../support/daemon.ts'

const root = mkdtempSync(join(tmpdir(), 'messages-'))
const folder = join(root, 'conf')
mkdirSync(folder)

const fileOf = (configuration: string): string => {
  const file = join(folder, 'gateway.yaml')
  writeFileSync(file, configuration)
  return file
}

/** The problems of a configuration file in a folder other than the working directory. */
const checked = async (configuration: string, isVerbose = false): Promise<string> => {
  try {
    const { warnings, name } = await loadConfig({ kind: 'file', path: fileOf(configuration) }, {})
    return [...warnings.map((warning) => formatWarning(warning, name)), 'is valid'].join('\n')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return isVerbose ? error.verbose : error.message
  }
}

/** The output of the program. */
const said = async (configuration: string, ...args: readonly string[]): Promise<string> => {
  const file = fileOf(configuration)
  const child = spawn(process.execPath, [daemonProgram, '-f', file, ...args], { env: cleanEnvironment() })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return out + err
}

const withUsers = (file: string) =>
  `gateways: { default: { port: 0, basicAuth: { htpasswd: { file: ${file} } } } }\n`

suite('the output of the program for', () => {
  after(() => rmSync(root, { recursive: true }))

  test('a missing file has the searched locations, and the working directory', async () => {
    const told = await checked(withUsers('users'))
    assert.ok(told.includes(`neither in the configuration file's folder, as ${join(folder, 'users')}`), told)
    assert.ok(told.includes(`${join(process.cwd(), 'users')}, relative to the working directory`), told)
  })

  test('a file beside the configuration has the path to use', async () => {
    writeFileSync(join(folder, 'beside'), 'ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=')
    const told = await checked(withUsers('beside'))
    assert.ok(told.includes(`has ${join(folder, 'beside')}, which is \${CONFIG_DIR}/beside`), told)
    assert.match(await checked(withUsers('"${CONFIG_DIR}/beside"')), /is valid/)
  })

  test('a key in place of its file does not repeat the key', async () => {
    const secret = '-----BEGIN PRIVATE KEY-----\\nMIIsecret\\n-----END PRIVATE KEY-----'
    const told = await checked(
      `gateways: { default: { port: 0, tls: { cert: gone.pem, key: "${secret}" } } }\n`,
    )
    assert.doesNotMatch(told, /MIIsecret/)
    assert.match(told, /gone\.pem, relative to the working directory/)
  })

  test('an admin port in use names the settings for another port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const told = await said(
      `config: { adminAddr: "127.0.0.1:${port}", statsAddr: "127.0.0.1:0", readinessAddr: "127.0.0.1:0" }\ngateways: { default: { port: 0 } }\n`,
    )
    other.close()
    assert.match(told, /admin cannot listen on .*; config\.adminAddr and ADMIN_ADDR choose another address/)
  })

  test('an unknown field lists similar names, and all with --verbose', async () => {
    const wrong = 'gateways: { default: { port: 0 } }\nroutes: [{ policies: { authenticate: {} } }]\n'
    const short = await checked(wrong)
    assert.match(short, /known fields: \w*[aA]uth\w*, .* more \(--verbose lists them\)/)
    const full = await checked(wrong, true)
    assert.doesNotMatch(full, /more \(/)
    for (const name of ['cors', 'localRateLimit', 'extProc', 'urlRewrite'])
      assert.ok(full.includes(name), full)
    assert.doesNotMatch(await said(wrong, '--validate-only', '--verbose'), /more \(/)
  })

  test('sections of other programs names their equivalents', async () => {
    for (const [section, meant] of [
      ['model_list', 'llm.models'],
      ['static_resources', 'backends'],
      ['mcpServers', 'mcp.targets'],
    ] as const)
      assert.match(
        await checked(`${section}: []\n`),
        new RegExp(`${section}: unknown field\\n +hint: .*${meant}`),
      )
  })

  test('misspelled references suggests names, and never an empty hint', async () => {
    const told = await checked(`gateways: { main: { port: 0 } }
backends: [{ name: shop, host: "127.0.0.1:1" }]
routes: [{ gateways: mian, backends: [{ backend: shpo }] }, { gateways: zzz, backends: [{ backend: qqqqq }] }]
llm:
  port: 0
  models: [{ name: small, provider: mock }]
  virtualModels: [{ name: v, routing: { weighted: { targets: [{ model: smal }] } } }]
`)
    for (const meant of ['main', 'shop', 'small']) assert.ok(told.includes(`did you mean "${meant}"?`), told)
    assert.doesNotMatch(told, /hint: *$/m)
  })

  test('prices of a provider that no model uses is a warning', async () => {
    const priced = (
      name: string,
    ) => `config: { modelCatalog: [{ inline: { providers: { ${name}: { models: { m: { rates: { input: "1", output: "1" } } } } } } }] }
gateways: { default: { port: 0 } }
llm: { models: [{ name: m, provider: gemini, params: { apiKey: k } }] }
`
    assert.match(await checked(priced('gemini')), /warning: .*no provider is called gemini.*gcp\.gemini/)
    assert.doesNotMatch(await checked(priced('gcp.gemini')), /warning: .*no provider/)
  })

  test('an expression about a key that reads absent metadata is a warning', async () => {
    const reading = (name: string) => `gateways: { default: { port: 0 } }
routes:
  - policies:
      apiKey: { keys: [{ key: k, metadata: { team: red } }] }
      authorization: { rules: ["apiKey.${name} == 'apiKey.nothing'"] }
      directResponse: { status: 200, body: apiKey.other }
`
    assert.match(await checked(reading('taem')), /warning: .*reads apiKey\.taem.*did you mean apiKey\.team\?/)
    assert.doesNotMatch(await checked(reading('team')), /warning: .*apiKey/)
    assert.doesNotMatch(await checked(reading('key')), /warning: .*apiKey/)
  })
})
