// Stands in for services, one on each port it is given: says what it was asked, and what it was told about the caller.
import { createServer } from 'node:http'
import { argv, env, stdout } from 'node:process'

const named = argv.slice(2).map(Number)
const ports = named.length > 0 ? named : [Number(env.PORT ?? 9001)]
/** Fields in which gateways tell services who asks. */
const telling = ['authorization', 'x-api-key', 'x-user']

for (const wanted of ports) {
  const server = createServer((request, response) => {
    const told = telling
      .filter((name) => request.headers[name] !== undefined)
      .map((name) => `, ${name}: ${request.headers[name]}`)
    request.resume().on('end', () => {
      response.end(`service ${wanted} got ${request.method} ${request.url}${told.join('')}\n`)
    })
  })
  server.listen(wanted, () => {
    stdout.write(`service ${wanted} listens on http://127.0.0.1:${server.address().port}\n`)
  })
}
