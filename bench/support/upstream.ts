/** The service behind both proxies: 1 KiB anywhere, 100 KiB on /100k, 100 MB on /100m, 1,000 small SSE chunks on /sse. */
import http from 'node:http'

const small = Buffer.alloc(1024, 'x')
const large = Buffer.alloc(100 * 1024, 'x')
const megabyte = Buffer.alloc(1_000_000, 'x')

const server = http.createServer({ keepAliveTimeout: 120_000 }, (req, res) => {
  req.resume()
  if (req.url === '/sse') {
    sse(res)
    return
  }
  if (req.url === '/100m') {
    download(res)
    return
  }
  const body = req.url === '/100k' ? large : small
  res.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length })
  res.end(body)
})

/** Ten chunks per turn, so that some arrive together and others separately, as those of a model do. */
const sse = (res: http.ServerResponse): void => {
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  let sent = 0
  const some = () => {
    for (let i = 0; i < 10; i++) res.write(`data: {"token":${sent++}}\n\n`)
    if (sent < 1000) setImmediate(some)
    else res.end()
  }
  some()
}

const download = (res: http.ServerResponse): void => {
  res.writeHead(200, { 'content-length': 100 * megabyte.length })
  let left = 100
  const more = () => {
    while (left > 0) {
      left--
      if (!res.write(megabyte)) {
        res.once('drain', more)
        return
      }
    }
    res.end()
  }
  more()
}

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.send?.({ port: address.port })
})
