/** The reference: node:http in, undici's dispatch out, nothing else. PORT proxies to UPSTREAM. */
import http from 'node:http'
import { Pool, type Dispatcher } from 'undici'

const pool = new Pool(process.env.UPSTREAM ?? '', { connections: 64, pipelining: 1, allowH2: false })

const server = http.createServer((req, res) => {
  const headers: string[] = []
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = (req.rawHeaders[i] as string).toLowerCase()
    if (name !== 'connection' && name !== 'keep-alive') headers.push(name, req.rawHeaders[i + 1] as string)
  }
  pool.dispatch(
    {
      path: req.url ?? '/',
      method: req.method as Dispatcher.HttpMethod,
      headers,
      body: req.method === 'GET' ? null : req,
    },
    {
      onRequestStart: () => undefined,
      onResponseStart(_, status, answer) {
        delete answer.connection
        delete answer['keep-alive']
        delete answer['transfer-encoding']
        res.writeHead(status, answer as http.OutgoingHttpHeaders)
      },
      onResponseData(controller, chunk) {
        if (res.write(chunk)) return
        controller.pause()
        res.once('drain', () => {
          controller.resume()
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
