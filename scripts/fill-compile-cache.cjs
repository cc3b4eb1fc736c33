/**
 * Fills `dist/compiled` with the compiled code of the programs, by starting each of them once: the cache then has what a
 * start runs. For an image, in which nobody can fill it later. CommonJS, since it runs alone.
 */
const { spawn } = require('node:child_process')
const { mkdirSync, readdirSync } = require('node:fs')

/** One of each kind of backend, since the code of each is in files of its own. Nothing is called. */
const configuration = `
config: { adminAddr: 127.0.0.1:0, statsAddr: 127.0.0.1:0, readinessAddr: 127.0.0.1:0 }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - matches: [{ path: { pathPrefix: /mcp } }]
    backends: [{ mcp: { targets: [{ name: one, mcp: { host: "http://127.0.0.1:1/" } }] } }]
  - matches: [{ path: { pathPrefix: /service } }]
    backends: [{ host: "127.0.0.1:1" }]
  - policies: { directResponse: { status: 200, body: started } }
llm:
  port: 0
  models: [{ name: mock, provider: mock }]
`

/** Starts a program, and ends it when it is ready, if it does not end by itself. */
const startOnce = (...args) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      // Those of the machine that builds an image would be served as well.
      env: { PATH: process.env.PATH },
    })
    const limit = setTimeout(() => child.kill('SIGKILL'), 60_000)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      if (!output.includes('ready') && (output += text).includes('ready')) child.kill('SIGTERM')
    })
    child.once('error', reject).once('exit', (code, signal) => {
      clearTimeout(limit)
      if (signal) reject(new Error(`${args[0]} was ended by ${signal}: ${output}`))
      else resolve(code)
    })
  })

const gateway = 'dist/programs/agentgateway.js'
const fill = async () => {
  mkdirSync('dist/compiled', { mode: 0o700 })
  const failed = await startOnce(gateway, '-c', configuration)
  if (failed) throw new Error(`the gateway ended with ${failed}`)
  await startOnce(gateway, '-c', configuration, '--validate-only')
  // It ends because there is no cluster, when all but its streams is loaded.
  await startOnce(gateway, 'controller')
  const uses = readdirSync('dist/compiled')
  for (const use of ['gateway', 'check', 'controller'])
    if (!uses.includes(use)) throw new Error(`there is no compiled code for ${use}`)
}

fill().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
