// Echo services, one on each port in the arguments: each responds with its request and the fields about the caller.
import { createServer } from 'node:http'
import { argv, env, stdout } from 'node:process'

const named = argv.slice(2).map(Number)
const ports = named.length > 0 ? named : [Number(env.PORT ?? 9001)]
/** Fields in which gateways identify the caller. */
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
