/**
 * The reference: node:http in, undici's dispatch out, and nothing else but aborting for disconnected clients. PORT
 * proxies to UPSTREAM, over at most CONNECTIONS.
 */
import http from 'node:http'
import { Pool, type Dispatcher } from 'undici'

const pool = new Pool(process.env.UPSTREAM ?? '', {
  connections: Number(process.env.CONNECTIONS ?? 64),
  pipelining: 1,
  allowH2: false,
})

const server = http.createServer((req, res) => {
  const headers: string[] = []
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = (req.rawHeaders[i] as string).toLowerCase()
    if (name !== 'connection' && name !== 'keep-alive') headers.push(name, req.rawHeaders[i + 1] as string)
  }
  let controller: Dispatcher.DispatchController | undefined
  // Without this, clients that disconnect in the middle of a body would use up the pool.
  res.on('close', () => {
    if (!res.writableFinished) controller?.abort(new Error('client left'))
  })
  pool.dispatch(
    {
      path: req.url ?? '/',
      method: req.method as Dispatcher.HttpMethod,
      headers,
      body: req.method === 'GET' ? null : req,
    },
    {
      onRequestStart(given) {
        controller = given
      },
      onResponseStart(_, status, answer) {
        delete answer.connection
        delete answer['keep-alive']
        delete answer['transfer-encoding']
        res.writeHead(status, answer as http.OutgoingHttpHeaders)
      },
      onResponseData(given, chunk) {
        if (res.write(chunk)) return
        given.pause()
        res.once('drain', () => {
          given.resume()
        })
      },
      onResponseEnd: () => res.end(),
      onResponseError(_, error) {
        if (!res.headersSent) res.writeHead(502)
        res.end(String(error))
      },
    },
  )
})
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.send?.({ port: address.port })
})
