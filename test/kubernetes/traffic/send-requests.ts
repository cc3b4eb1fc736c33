/**
 * Sends requests until its input ends, and then prints what became of them as JSON: counts by status or error. Runs in
 * the network of a lab; its arguments are a URL, the name of the host, and for HTTPS a file with authorities. HTTP
 * connections are kept; HTTPS has a new one, with a full handshake, for each request.
 */
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { Agent as TlsAgent, get as getTls } from 'node:https'

const CONCURRENCY = 4
const TIMEOUT_MS = 20_000

const [url = '', host = '', caFile] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const tls = caFile !== undefined && {
  agent: new TlsAgent({ maxCachedSessions: 0 }),
  ca: readFileSync(caFile),
  servername: host,
}
const counts: Record<string, number> = {}
let hasEnded = false

const send = (): Promise<string> =>
  new Promise((resolve) => {
    const failed = ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message)
    const options = { agent, headers: { host }, ...tls }
    const request = (tls ? getTls : get)(url, options, (response) => {
      response.resume().on('error', failed)
      response.on('end', () => resolve(String(response.statusCode)))
    })
    request.on('error', failed).setTimeout(TIMEOUT_MS, () => {
      request.destroy(new Error(`no reply within ${TIMEOUT_MS} ms`))
    })
  })

const follow = async (): Promise<void> => {
  while (!hasEnded) {
    const outcome = await send()
    // The first one tells that requests are under way.
    if (Object.keys(counts).length === 0) console.log('sending')
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
}

process.stdin.resume().on('end', () => {
  hasEnded = true
})
await Promise.all(Array.from({ length: CONCURRENCY }, follow))
agent.destroy()
console.log(JSON.stringify(counts))
