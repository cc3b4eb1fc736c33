/** A guard webhook that allows everything. */
import http from 'node:http'

const pass = Buffer.from('{"action":{}}')

const server = http.createServer({ keepAliveTimeout: 120_000 }, (req, res) => {
  req.resume()
  req.on('end', () => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': pass.length })
    res.end(pass)
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.send?.({ port: address.port })
})
