/** An authorization service: 200 with attributes of the caller, or a response for the caller. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const callers = new Map([
  ['Bearer ann-s3cret', { user: 'ann', plan: 'gold' }],
  ['Bearer bob-s3cret', { user: 'bob', plan: 'free' }],
])

const server = createServer((req, res) => {
  const caller = callers.get(req.headers.authorization ?? '')
  console.log(`${req.method ?? ''} ${req.url ?? ''}: ${caller?.user ?? 'nobody'}`)
  if (caller) res.writeHead(200, { 'x-user': caller.user, 'x-plan': caller.plan }).end()
  else res.writeHead(401, { 'www-authenticate': 'Bearer' }).end('Who are you?')
})
server.listen(Number(process.env.PORT ?? 9002), '127.0.0.1', () => {
  console.log(`decides on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
